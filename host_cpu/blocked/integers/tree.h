// Integer arithmetic of one element each that ends in an int8 image, found in a graph.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/dialects/graph/graph.h"
#include "llvm/ADT/SetVector.h"

namespace vta::codegen::blocked {

struct IntegerTree {
  /// A graph.conv or graph.matmul that gives the sums, with constant weights; null: there are none.
  mlir::Operation* sums = nullptr;
  std::vector<mlir::Value> images;  // the int8 images behind 'x' and 'y' of `finish`
  std::string finish;               // see integer_finish.h
  std::vector<int32_t> bias;        // that is added to the sums of each channel
  /// The constants of `finish`, each with its value for each channel.
  std::vector<std::vector<int32_t>> constants;
  /// All ops between the images and the result, which nothing else reads.
  llvm::SetVector<mlir::Operation*> ops;
};

/// The tree that ends in `root`, a cast of 32 bits to int8. Nothing where an op is of another kind,
/// or has a reader outside, or where a constant differs within a channel. At most one image beside
/// sums, else two.
std::optional<IntegerTree> findIntegerTree(graph::CastOp root);

/// Whether `value` is an int8 image: NCHW.
bool isByteImage(mlir::Value value);
/// Whether `value` is a constant of int8.
bool isByteConstant(mlir::Value value);

}  // namespace vta::codegen::blocked
