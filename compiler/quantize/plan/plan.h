// Which float ops become integers, and together with what. The first step of quantisation.
#pragma once

#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "compiler/quantize/common/pool_divisors.h"
#include "compiler/quantize/plan/element_cone.h"
#include "isa/spec/user_operations.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Value.h"

namespace vta::compiler {

struct GivenQuantization;

/// A group of float ops that one integer computation replaces: an anchor with the bias, residual
/// and clip that follow it, each the only user of the one before. The result is `output`.
struct QuantNode {
  enum class Kind : uint8_t {
    kConv,        // graph.conv with constant weights
    kMatMul,      // graph.matmul with a constant right-hand side
    kMatMulPair,  // graph.matmul of two activations, with equal batches
    kAvgPool,     // graph.avg_pool
    kAdd,         // sum, larger or smaller one of two activations, not fused into a contraction, or
                  // what an operation of the user's makes of them
    kProduct,     // product of two activations, of which one may be one pixel for all of an image
    kClip,        // relu or clip, not fused into anything
    kTable,       // an element-wise function of one activation
    kMove,        // the same integers in another place: max_pool, reshape, concat, slice, ...
  };
  Kind kind = Kind::kMove;
  mlir::Operation* anchor = nullptr;
  mlir::Operation* last = nullptr;
  llvm::SmallVector<mlir::Operation*, 4> ops;  // all that the node replaces, anchor to last
  llvm::SmallVector<mlir::Value, 2> inputs;    // activations in float; sums and products have two
  mlir::Value residual;                        // contractions only; null if none
  std::vector<float> bias;                     // contractions only: one per output channel
  bool keeps_weights = false;                  // the model says what integers the weights are
  double clip_min = -std::numeric_limits<double>::infinity();
  double clip_max = std::numeric_limits<double>::infinity();
  mlir::Value output;
  std::vector<ElementStep> formula;  // kAdd of a user's operation: its ops; else empty
  PoolDivisors divisors;             // kAvgPool
  ElementCone cone;                  // kTable
};

struct QuantPlan {
  std::vector<QuantNode> nodes;  // in program order of their last ops
  /// Every activation that becomes int8: outputs of nodes and inputs from outside.
  std::vector<mlir::Value> activations;
  llvm::DenseMap<mlir::Value, int> activation_index;
  /// Those of `activations` that keep more than 8 bits (wide_activations.h).
  llvm::DenseSet<mlir::Value> wide;
  /// Index by index for `activations`: joinExponents (join_ranges.h). Empty: all are 0.
  std::vector<int> exponents;

  double finenessOf(size_t activation) const {
    return exponents.empty() ? 1.0 : std::ldexp(1.0, exponents[activation]);
  }
  int indexOf(mlir::Value value) const { return activation_index.lookup(value); }
};

struct PlanOptions {
  /// What a quantised model prescribes (compiler/quantize/plan/adopt.h); null: a float model.
  const GivenQuantization* given = nullptr;
  /// Ops whose names are here stay in float, and with them the contraction that would take them.
  const std::set<std::string>* float_layers = nullptr;
  /// Take matrix products of two activations: the hardware has weights of 8 bits.
  bool takes_matmul_pairs = true;
  /// Normalisation behind a function of one activation is a node of its own: the hardware computes
  /// one function for all channels, and has no tables that would differ by channel.
  bool splits_normalisation = false;
  /// The layers that products of two activations are taken of, by name; null: those that are worth
  /// it.
  const std::set<std::string>* matmul_pairs = nullptr;
  /// Operations of the user's that the hardware has; null: none. Formulas of two activations that
  /// one of them computes are sums of their kind.
  const UserOperations* operations = nullptr;
};

/// Plans the quantisation of `function`, a float graph in program order. Of a float model,
/// contractions are always taken; other ops only where all their activations are integers already,
/// since alone they would only lose precision, and element-wise functions only where integers read
/// what they give. Of a quantised model exactly those ops are taken
/// whose activations all have given parameters, and no rounding that it prescribes is left out.
QuantPlan planQuantization(mlir::func::FuncOp function, const PlanOptions& options = {});

/// True for an op that moves integers without changing them, given one scale on all sides.
bool isIntegerMove(mlir::Operation* op);

/// The name of an op's layer: that of its ONNX node, or empty.
std::string layerNameOf(mlir::Operation* op);

/// The constant behind `value` as floats in row-major order; empty if it is not a float constant.
std::vector<float> floatConstant(mlir::Value value);

}  // namespace vta::compiler
