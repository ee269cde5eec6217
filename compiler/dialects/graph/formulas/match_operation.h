// Finds, in a graph, what an ALU operation of the user's computes.
#pragma once

#include <optional>

#include "isa/spec/user_operation.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

namespace vta::graph {

/// Element-wise ops that together are one operation.
struct OperationMatch {
  const UserOperation* operation = nullptr;
  mlir::Value x;
  mlir::Value y;          // null for an operation of one operand
  bool commutes = false;  // x and y may change places
  /// How large the result is where x and y are 1 at most, for an operation that multiplies as its
  /// operands do (LaneTerms::homogeneousReach); else nothing.
  std::optional<double> reach;
  llvm::SmallVector<mlir::Operation*> ops;  // in program order; the last one makes the result
};

/// The operation of `operations` that `root` and ops in front of it compute, proved by canonical
/// forms (isa/lane/lane_terms.h): of i32 tensors bit for bit, of floats as a formula. The results
/// of the ops but the last one have no other readers. Operations with an immediate beside a tensor
/// operand, or with bounds, are not looked for. None if there is none; the largest if there are
/// several.
std::optional<OperationMatch> matchOperation(mlir::Operation* root,
                                             const UserOperations& operations);

}  // namespace vta::graph
