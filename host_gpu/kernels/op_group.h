// Linalg ops that one kernel computes: each invocation computes an element of the first one's
// result, then the same element of the next one's, and what only the group knows never gets to
// memory.
#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace vta::codegen {

/// In the order in which they run. Their parallel loops have the same extents.
using OpGroup = mlir::SmallVector<mlir::linalg::LinalgOp>;

/// The ops of what gpu-group-ops has made of several, or the one op that `op` is; else empty.
OpGroup groupOf(mlir::Operation* op);

/// Whether `buffer` is memory of a group or a view of it, which its kernel keeps in registers.
bool isLocal(mlir::Value buffer);

/// The memory that `buffer` is a view of.
mlir::Value baseOf(mlir::Value buffer);

/// The loops that `op` may run beside each other: in the order of its result's dimensions, if each
/// of them is one.
mlir::SmallVector<unsigned> parallelLoops(mlir::linalg::LinalgOp op);
/// The loops that sum, in order.
mlir::SmallVector<unsigned> summingLoops(mlir::linalg::LinalgOp op);

/// The extents of parallelLoops().
mlir::SmallVector<int64_t> resultExtents(mlir::linalg::LinalgOp op);

/// Whether the place of the element of `operand` is the numbers of the op's parallel loops.
bool isPointwise(mlir::OpOperand& operand);

}  // namespace vta::codegen
