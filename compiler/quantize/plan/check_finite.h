// Weights that are not numbers.
#pragma once

#include "base/status.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace vta::compiler {

/// Integers cannot stand for NaN or infinity, and one such weight would make a constant of every
/// result that it takes part in. Checks the constants that convolutions, matrix products and batch
/// normalisations of `main` take, also through reshapes and the like; of other arithmetic, where
/// infinity is a common mask, for NaN only. Call it before passes that fold constants. Errors: name
/// the operator, the constant and the index of the element.
Status checkFiniteWeights(mlir::func::FuncOp main);

}  // namespace vta::compiler
