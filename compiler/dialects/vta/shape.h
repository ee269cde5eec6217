// Shapes as MLIR has them.
#pragma once

#include "llvm/ADT/STLExtras.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace vta::compiler {

/// The dimensions of a ranked tensor.
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

/// True when what has one range along `axis` lies in a row: all extents in front of it are 1.
inline bool liesInARow(llvm::ArrayRef<int64_t> shape, int64_t axis) {
  return llvm::all_of(shape.take_front(static_cast<size_t>(axis)),
                      [](int64_t extent) { return extent == 1; });
}

}  // namespace vta::compiler
