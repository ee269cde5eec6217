// Element-wise functions of one activation: what a table of 256 entries can compute.
#pragma once

#include <optional>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

namespace vta::compiler {

/// One op of such a function, and what it read when the function was found: the emission of
/// integers gives the op other operands.
struct ElementStep {
  mlir::Operation* op = nullptr;
  llvm::SmallVector<mlir::Value, 3> operands;
};

/// A value as a function of one activation of its shape, element by element. Every operand of the
/// steps is the source, the result of a step in front, or a constant that varies along the channels
/// at most.
struct ElementCone {
  mlir::Value source;
  llvm::SmallVector<ElementStep, 4> steps;  // in program order; the last one makes the value
};

/// The value in front of the normalisation (products with, sums of and differences from constants
/// that differ along the channels) that `cone` ends with; null if there is none, or if all of the
/// function is of that kind. Steps from `*first` on are the normalisation.
mlir::Value valueBeforeNormalisation(const ElementCone& cone, size_t* first);

/// Finds cones as a planner walks over a function in program order.
class ElementCones {
 public:
  using IsActivation = llvm::function_ref<bool(mlir::Value)>;

  /// Looks at `op`, which comes behind all ops seen before. `is_activation` says whether a value
  /// has integers by itself.
  void observe(mlir::Operation* op, IsActivation is_activation);

  /// The shortest cone that ends in `value`; null if there is none. Valid until the next observe.
  const ElementCone* find(mlir::Value value) const;

 private:
  std::optional<ElementCone> join(mlir::Operation* op, IsActivation is_activation) const;

  llvm::DenseMap<mlir::Value, ElementCone> shortest_;
  /// Cones that reach back past activations, so that two functions of one activation meet there.
  llvm::DenseMap<mlir::Value, ElementCone> longest_;
};

}  // namespace vta::compiler
