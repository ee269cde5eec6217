// Checks that the verifiers of the graph ops share. Each emits its diagnostic at the op.
#pragma once

#include <initializer_list>

#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/graph/graph_builder.h"
#include "compiler/dialects/graph/shapes.h"

namespace vta::graph {

/// `expected` is the shape of result 0, or says why the operands do not fit.
mlir::LogicalResult checkResultShape(mlir::Operation* op, const Result<Shape>& expected);
mlir::LogicalResult checkStatus(mlir::Operation* op, const Status& status);

/// `value` holds elements of one of `types`; `name` is what the message calls it.
mlir::LogicalResult checkElementType(mlir::Operation* op, llvm::StringRef name, mlir::Value value,
                                     llvm::ArrayRef<mlir::Type> types);
/// The element types of `value` and the result are the same.
mlir::LogicalResult checkSameElementType(mlir::Operation* op, mlir::Value value);

/// All operands are f32, and so is the result.
mlir::LogicalResult checkAllF32(mlir::Operation* op);

/// f32 x f32 (+ f32) -> f32 or i8 x i8 (+ i32) -> i32; `bias` may be null.
mlir::LogicalResult checkContractionTypes(mlir::Operation* op, mlir::Value lhs, mlir::Value rhs,
                                          mlir::Value bias);

inline Shape shapeCopy(mlir::Value value) {
  ShapeRef shape = shapeOf(value);
  return {shape.begin(), shape.end()};
}

}  // namespace vta::graph
