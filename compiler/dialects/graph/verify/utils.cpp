#include "compiler/dialects/graph/verify/utils.h"

#include <algorithm>

#include "mlir/IR/BuiltinTypes.h"

namespace vta::graph {

using mlir::failure;
using mlir::LogicalResult;
using mlir::success;
using mlir::Type;
using mlir::Value;

LogicalResult checkStatus(mlir::Operation* op, const Status& status) {
  return status.ok() ? success() : LogicalResult(op->emitOpError(status.message()));
}

LogicalResult checkResultShape(mlir::Operation* op, const Result<Shape>& expected) {
  if (!expected.ok()) return checkStatus(op, expected.status());
  ShapeRef found = shapeOf(op->getResult(0));
  if (std::ranges::equal(found, *expected)) return success();
  return op->emitOpError("expects a result of shape ")
         << shapeText(*expected) << ", got " << shapeText(found);
}

LogicalResult checkElementType(mlir::Operation* op, llvm::StringRef name, Value value,
                               llvm::ArrayRef<Type> types) {
  Type found = elementTypeOf(value);
  if (llvm::is_contained(types, found)) return success();
  auto diagnostic = op->emitOpError("expects ") << name << " of element type ";
  llvm::interleave(
      types, [&](Type type) { diagnostic << type; }, [&] { diagnostic << " or "; });
  return diagnostic << ", got " << found;
}

LogicalResult checkSameElementType(mlir::Operation* op, Value value) {
  Type input = elementTypeOf(value), result = elementTypeOf(op->getResult(0));
  if (input == result) return success();
  return op->emitOpError("expects a result of element type ") << input << ", got " << result;
}

LogicalResult checkAllF32(mlir::Operation* op) {
  Type f32 = mlir::Float32Type::get(op->getContext());
  for (Value operand : op->getOperands()) {
    if (failed(checkElementType(op, "operands", operand, f32))) return failure();
  }
  return checkElementType(op, "a result", op->getResult(0), f32);
}

LogicalResult checkContractionTypes(mlir::Operation* op, Value lhs, Value rhs, Value bias) {
  Type f32 = mlir::Float32Type::get(op->getContext());
  Type i8 = mlir::IntegerType::get(op->getContext(), 8);
  Type i32 = mlir::IntegerType::get(op->getContext(), 32);
  if (failed(checkElementType(op, "operands", lhs, {f32, i8})) ||
      failed(checkElementType(op, "operands of one type, thus a second one", rhs,
                              elementTypeOf(lhs)))) {
    return failure();
  }
  Type sum = elementTypeOf(lhs) == f32 ? f32 : i32;
  if (bias && failed(checkElementType(op, "a bias", bias, sum))) return failure();
  return checkElementType(op, "a result", op->getResult(0), sum);
}

}  // namespace vta::graph
