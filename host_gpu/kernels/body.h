// The bodies of linalg ops, one round at a time.
#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace vta::codegen {

/// The indices of an element of a buffer whose map is `map`, in the round `numbers` of the loops;
/// null: the first round.
mlir::SmallVector<mlir::Value> placeInRound(mlir::ImplicitLocOpBuilder& b, mlir::AffineMap map,
                                            mlir::ArrayRef<mlir::Value> numbers);

/// What the body of `op` yields. `mapping` has the arguments of the body that it uses, and what it
/// uses from outside.
mlir::SmallVector<mlir::Value> cloneBody(mlir::ImplicitLocOpBuilder& b, mlir::linalg::LinalgOp op,
                                         mlir::IRMapping mapping,
                                         mlir::ArrayRef<mlir::Value> numbers);

}  // namespace vta::codegen
