// Verifiers of element-wise ops and of quantisation.
#include <cmath>

#include "compiler/dialects/graph/evaluate_elementwise.h"
#include "compiler/dialects/graph/verify/utils.h"
#include "isa/spec/alu_operations.h"
#include "mlir/IR/BuiltinTypes.h"

namespace vta::graph {

using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

namespace {

mlir::Type i1(mlir::Operation* op) { return mlir::IntegerType::get(op->getContext(), 1); }
mlir::Type i32(mlir::Operation* op) { return mlir::IntegerType::get(op->getContext(), 32); }

bool isLogical(UnaryKind kind) { return kind == UnaryKind::logical_not; }
bool isLogical(BinaryKind kind) {
  return kind >= BinaryKind::logical_and && kind <= BinaryKind::logical_xor;
}

LogicalResult checkBounds(mlir::Operation* op, double min, double max) {
  if (min <= max) return success();
  return op->emitOpError("expects min <= max, got ")
         << std::to_string(min) << " and " << std::to_string(max);
}

/// One scale and zero point, or one per index of `axis`.
LogicalResult checkQuantization(mlir::Operation* op, llvm::ArrayRef<float> scales,
                                llvm::ArrayRef<int64_t> zero_points, int64_t axis) {
  ShapeRef shape = shapeOf(op->getOperand(0));
  if (scales.size() != zero_points.size()) {
    return op->emitOpError("has ")
           << scales.size() << " scales, but " << zero_points.size() << " zero points";
  }
  for (float scale : scales) {
    if (!(scale >= 0) || std::isinf(scale)) {
      return op->emitOpError("expects finite scales that are not negative, got ")
             << std::to_string(scale);
    }
  }
  if (scales.size() == 1) return success();
  if (failed(checkStatus(op, checkAxis(axis, shape.size())))) return failure();
  if (static_cast<int64_t>(scales.size()) == shape[axis]) return success();
  return op->emitOpError("has ") << scales.size() << " scales for " << shape[axis]
                                 << " indexes of axis " << axis;
}

/// `parameter` is i32 and broadcasts to the i32 input without enlarging it.
LogicalResult checkFixedPoint(mlir::Operation* op) {
  mlir::Type type = i32(op);
  if (failed(checkElementType(op, "an input", op->getOperand(0), type)) ||
      failed(checkElementType(op, "a second operand", op->getOperand(1), type)) ||
      failed(checkElementType(op, "a result", op->getResult(0), type))) {
    return failure();
  }
  Result<Shape> both = broadcastShape(shapeOf(op->getOperand(0)), shapeOf(op->getOperand(1)));
  if (both.ok() && *both != shapeCopy(op->getOperand(0))) {
    return op->emitOpError("expects a second operand that broadcasts to ")
           << shapeText(shapeOf(op->getOperand(0))) << ", got "
           << shapeText(shapeOf(op->getOperand(1)));
  }
  return checkResultShape(op, both);
}

}  // namespace

LogicalResult UnaryOp::verify() {
  bool is_test = getKind() == UnaryKind::is_nan || getKind() == UnaryKind::is_inf;
  if (is_test && failed(checkElementType(*this, "a result", getOutput(), i1(*this)))) {
    return failure();
  }
  if (!is_test && failed(checkSameElementType(*this, getInput()))) return failure();
  if (isLogical(getKind()) && failed(checkElementType(*this, "an input", getInput(), i1(*this)))) {
    return failure();
  }
  return checkResultShape(*this, shapeCopy(getInput()));
}

LogicalResult BinaryOp::verify() {
  if (elementTypeOf(getLhs()) != elementTypeOf(getRhs())) {
    return emitOpError("expects operands of one element type, got ")
           << elementTypeOf(getLhs()) << " and " << elementTypeOf(getRhs());
  }
  bool gives_i1 = isComparison(getKind());
  if (gives_i1 && failed(checkElementType(*this, "a result", getOutput(), i1(*this)))) {
    return failure();
  }
  if (!gives_i1 && failed(checkSameElementType(*this, getLhs()))) return failure();
  if (isLogical(getKind()) && failed(checkElementType(*this, "operands", getLhs(), i1(*this)))) {
    return failure();
  }
  return checkResultShape(*this, broadcastShape(shapeOf(getLhs()), shapeOf(getRhs())));
}

LogicalResult WhereOp::verify() {
  if (failed(checkElementType(*this, "a condition", getCondition(), i1(*this)))) return failure();
  if (elementTypeOf(getLhs()) != elementTypeOf(getRhs())) {
    return emitOpError("expects operands of one element type, got ")
           << elementTypeOf(getLhs()) << " and " << elementTypeOf(getRhs());
  }
  if (failed(checkSameElementType(*this, getLhs()))) return failure();
  Result<Shape> values = broadcastShape(shapeOf(getLhs()), shapeOf(getRhs()));
  if (values.ok()) values = broadcastShape(shapeOf(getCondition()), *values);
  return checkResultShape(*this, values);
}

LogicalResult ClipOp::verify() {
  if (failed(checkAllF32(*this)) ||
      failed(checkBounds(*this, getMin().convertToDouble(), getMax().convertToDouble()))) {
    return failure();
  }
  return checkResultShape(*this, shapeCopy(getInput()));
}

LogicalResult CastOp::verify() { return checkResultShape(*this, shapeCopy(getInput())); }

LogicalResult QuantizeOp::verify() {
  mlir::Builder builder(getContext());
  mlir::Type ui8 = builder.getIntegerType(8, /*isSigned=*/false);
  mlir::Type ui16 = builder.getIntegerType(16, /*isSigned=*/false);
  if (failed(checkElementType(*this, "an input", getInput(), builder.getF32Type())) ||
      failed(checkElementType(*this, "a result", getOutput(),
                              {builder.getI8Type(), ui8, builder.getI16Type(), ui16})) ||
      failed(checkQuantization(*this, getScales(), getZeroPoints(),
                               static_cast<int64_t>(getAxis())))) {
    return failure();
  }
  return checkResultShape(*this, shapeCopy(getInput()));
}

LogicalResult DequantizeOp::verify() {
  mlir::Builder builder(getContext());
  mlir::Type ui8 = builder.getIntegerType(8, /*isSigned=*/false);
  mlir::Type ui16 = builder.getIntegerType(16, /*isSigned=*/false);
  if (failed(checkElementType(
          *this, "an input", getInput(),
          {builder.getI8Type(), ui8, builder.getI16Type(), ui16, builder.getI32Type()})) ||
      failed(checkElementType(*this, "a result", getOutput(), builder.getF32Type())) ||
      failed(checkQuantization(*this, getScales(), getZeroPoints(),
                               static_cast<int64_t>(getAxis())))) {
    return failure();
  }
  return checkResultShape(*this, shapeCopy(getInput()));
}

LogicalResult QmulOp::verify() {
  auto shift = static_cast<int64_t>(getShift());
  if (shift < 0 || shift > kMaxAluShift) {
    return emitOpError("expects a shift in [0, ") << kMaxAluShift << "], got " << shift;
  }
  return checkFixedPoint(*this);
}

LogicalResult ShrOp::verify() { return checkFixedPoint(*this); }

LogicalResult ClipIntOp::verify() {
  mlir::Builder builder(getContext());
  auto min = static_cast<int64_t>(getMin()), max = static_cast<int64_t>(getMax());
  if (failed(checkElementType(*this, "an input", getInput(),
                              {builder.getI32Type(), builder.getI8Type()})) ||
      failed(checkSameElementType(*this, getInput()))) {
    return failure();
  }
  if (min > max) return emitOpError("expects min <= max, got ") << min << " and " << max;
  return checkResultShape(*this, shapeCopy(getInput()));
}

LogicalResult TableOp::verify() {
  mlir::Type i8 = mlir::IntegerType::get(getContext(), 8);
  for (mlir::Value value : {getInput(), getTable(), getOutput()}) {
    if (failed(checkElementType(*this, "every tensor", value, i8))) return failure();
  }
  ShapeRef input = shapeOf(getInput());
  llvm::ArrayRef<int64_t> axes = getAxes();
  Shape expected;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (failed(checkStatus(*this, checkAxis(axes[i], input.size())))) return failure();
    if (axes[i] < 0 || (i > 0 && axes[i] <= axes[i - 1])) {
      return emitOpError("expects ascending axes that are not negative");
    }
    expected.push_back(input[axes[i]]);
  }
  expected.push_back(kTableEntries);
  if (shapeCopy(getTable()) != expected) {
    return emitOpError("expects a table of shape ")
           << shapeText(expected) << ", got " << shapeText(shapeOf(getTable()));
  }
  return checkResultShape(*this, shapeCopy(getInput()));
}

}  // namespace vta::graph
