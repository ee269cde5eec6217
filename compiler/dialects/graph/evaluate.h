// Evaluation of graph ops on constants: data movement, element-wise ops and reductions.
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace vta::graph {

/// The value of `op` (one result) for these operands, or null where the op, a type or a value (an
/// index out of range, an integer division by zero) is not handled. `op` must pass its verifier.
/// Float arithmetic happens in double and is rounded once to the result's type, which for f32 sums,
/// differences, products, quotients and square roots is the IEEE result.
mlir::DenseElementsAttr evaluate(mlir::Operation* op,
                                 llvm::ArrayRef<mlir::DenseElementsAttr> operands);

/// The same, with operands taken from constants; null if an operand is not constant.
mlir::DenseElementsAttr evaluate(mlir::Operation* op);

}  // namespace vta::graph
