#include "compiler/frontend/onnx/operators/integer/quantize.h"

#include <cmath>
#include <limits>

#include "compiler/dialects/graph/constant_tensor.h"

namespace vta::compiler {

using graph::Shape;
using graph::UnaryKind;
using mlir::Value;

Value quantizedBy(Composer& c, Value input, const Affine& affine, mlir::IntegerType type) {
  Value value = c.unary(UnaryKind::round, c.div(input, affine.scale));
  if (!c.ok()) return {};
  const mlir::Type real = graph::elementTypeOf(value);
  if (affine.zero_point) value = c.add(value, c.cast(affine.zero_point, real));
  const bool is_unsigned = type.isUnsigned();
  const double span = std::exp2(type.getWidth());
  const double low = is_unsigned ? 0 : -span / 2, high = low + span - 1;
  value = c.max(c.min(value, c.number(high, real)), c.number(low, real));
  return c.cast(value, type);
}

Value within(Composer& c, Value value, double least, double most) {
  if (!c.ok()) return {};
  const mlir::Type type = graph::elementTypeOf(value);
  double low = -std::numeric_limits<double>::infinity(), high = -low;
  if (const auto integer = mlir::dyn_cast<mlir::IntegerType>(type)) {
    low = integer.isUnsigned() ? 0 : -std::exp2(integer.getWidth() - 1);
    high = low + std::exp2(integer.getWidth()) - 1;
  }
  if (most < high) value = c.min(value, c.number(most, type));
  if (least > low) value = c.max(value, c.number(least, type));
  return value;
}

Value dequantizedBy(Composer& c, Value input, const Affine& affine) {
  if (!c.ok()) return {};
  const mlir::Type i32 = c.node().ir().getI32Type();
  Value value = c.cast(input, i32);
  if (affine.zero_point) value = c.sub(value, c.cast(affine.zero_point, i32));
  return c.mul(c.cast(value, graph::elementTypeOf(affine.scale)), affine.scale);
}

DynamicallyQuantized quantizedDynamically(Composer& c, Value input) {
  const int64_t rank = c.rank(input);
  if (!c.ok()) return {};
  Shape axes;
  for (int64_t i = 0; i < rank; ++i) axes.push_back(i);
  const auto type = c.node().ir().getIntegerType(8, /*isSigned=*/false);
  const Value zero = c.numberLike(0, input), steps = c.numberLike(255, input);
  const Value low = c.min(c.reduce(graph::ReduceKind::min, input, axes), zero);
  const Value high = c.max(c.reduce(graph::ReduceKind::max, input, axes), zero);
  Value scale = c.div(c.sub(high, low), steps);
  // A tensor of zeros has no range.
  scale = c.where(c.equal(scale, zero), c.numberLike(1, input), scale);
  const Value zero_point = quantizedBy(c, c.sub(zero, low), {scale, {}}, type);
  return {quantizedBy(c, input, {scale, zero_point}, type), scale, zero_point};
}

namespace {

/// Integers as i8, moved by -128 if they were unsigned, together with their zero point in i32
/// (null: 0).
struct Signed {
  Value values, zero_point;
};

Signed toSigned(Composer& c, Value values, Value zero_point) {
  if (!c.ok()) return {};
  const mlir::Type i32 = c.node().ir().getI32Type(), i8 = c.node().ir().getI8Type();
  const bool is_unsigned = graph::elementTypeOf(values).isUnsignedInteger(8);
  if (!is_unsigned && !graph::elementTypeOf(values).isInteger(8)) {
    c.fail(invalidArgument("expects 8-bit integers"));
    return {};
  }
  if (zero_point) zero_point = c.cast(zero_point, i32);
  if (!is_unsigned) return {values, zero_point};
  const Value offset = c.number(128, i32);
  values = c.cast(c.sub(c.cast(values, i32), offset), i8);
  return {values, c.sub(zero_point ? zero_point : c.number(0, i32), offset)};
}

}  // namespace

Value integerProduct(Composer& c, Value lhs, Value rhs, Value lhs_zero, Value rhs_zero) {
  // A vector is a matrix of one row on the left, of one column on the right.
  const bool is_row = c.rank(lhs) == 1, is_column = c.rank(rhs) == 1;
  if (is_row) lhs = c.unsqueeze(lhs, 0);
  if (is_column) rhs = c.unsqueeze(rhs, 1);
  const int64_t left = c.rank(lhs), right = c.rank(rhs);
  if (c.ok() && (left < 2 || right < 2)) {
    c.fail(invalidArgument("a scalar is no factor of a matrix product"));
  }
  // Zero points of the left side are one or one for each row, of the right one for each column.
  if (c.ok() && lhs_zero && c.rank(lhs_zero) == 1) lhs_zero = c.unsqueeze(lhs_zero, 1);
  const Signed a = toSigned(c, lhs, lhs_zero), b = toSigned(c, rhs, rhs_zero);
  if (!c.ok()) return {};
  const mlir::Type i32 = c.node().ir().getI32Type();
  const int64_t depth = c.shape(lhs).back();
  Value product = c.matmul(a.values, b.values);
  // (a - p)(b - q) = ab - p sum(b) - q sum(a) + depth p q
  if (a.zero_point) {
    const Value columns = c.sum(c.cast(b.values, i32), {right - 2}, true);
    product = c.sub(product, c.mul(a.zero_point, columns));
  }
  if (b.zero_point) {
    const Value rows = c.sum(c.cast(a.values, i32), {left - 1}, true);
    product = c.sub(product, c.mul(rows, b.zero_point));
  }
  if (a.zero_point && b.zero_point) {
    product =
        c.add(product, c.scale(c.mul(a.zero_point, b.zero_point), static_cast<double>(depth)));
  }
  if (is_column && c.ok()) product = c.squeeze(product, c.rank(product) - 1);
  if (is_row && c.ok()) product = c.squeeze(product, c.rank(product) - (is_column ? 1 : 2));
  return product;
}

}  // namespace vta::compiler
