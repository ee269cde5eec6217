// Quantisation, dequantisation and the integer steps of requantisation, all exact.
#include "compiler/codegen/graph_to_linalg/patterns.h"
#include "isa/spec/alu_operations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

namespace vta::compiler::graph_to_linalg {
namespace {

using namespace mlir;

/// One value for the tensor as a scalar-like constant, or one per index of `axis`, as a constant
/// that broadcasts against `rank` dimensions.
template <typename T>
Value axisConstant(Builder& b, Type element, ArrayRef<T> values, int64_t axis, int64_t rank) {
  if (axis < 0) axis += rank;
  SmallVector<int64_t> shape(rank, 1);
  if (values.size() > 1) shape[axis] = static_cast<int64_t>(values.size());
  SmallVector<Attribute> attributes;
  for (T value : values) {
    if (isa<FloatType>(element)) {
      attributes.push_back(b.getFloatAttr(element, static_cast<double>(value)));
    } else {
      attributes.push_back(b.getIntegerAttr(element, static_cast<int64_t>(value)));
    }
  }
  return b.create<arith::ConstantOp>(
      DenseElementsAttr::get(RankedTensorType::get(shape, element), attributes));
}

Value convertQuantize(Builder& b, graph::QuantizeOp op,
                      OpConversionPattern<graph::QuantizeOp>::OpAdaptor adaptor) {
  RankedTensorType type = signlessType(op.getType());
  int64_t axis = static_cast<int64_t>(op.getAxis());
  Type real = tensorType(adaptor.getInput()).getElementType();
  unsigned width = type.getElementTypeBitWidth();
  bool is_unsigned = isUnsignedElement(op.getType());
  double low = is_unsigned ? 0.0 : -static_cast<double>(1LL << (width - 1));
  double high = static_cast<double>((1LL << (is_unsigned ? width : width - 1)) - 1);
  Value scales = axisConstant(b, real, op.getScales(), axis, type.getRank());
  Value zeros = axisConstant(b, real, op.getZeroPoints(), axis, type.getRank());
  return elementwise(
      b, {adaptor.getInput(), scales, zeros}, type, [&](Builder& scalar, ValueRange v) -> Value {
        Value rounded = scalar.create<math::RoundEvenOp>(scalar.create<arith::DivFOp>(v[0], v[1]));
        Value shifted = scalar.create<arith::AddFOp>(rounded, v[2]);
        // Written so that NaN becomes the lower bound, not an undefined integer.
        Value bound = constant(scalar, real, low);
        Value above = scalar.create<arith::CmpFOp>(arith::CmpFPredicate::OGT, shifted, bound);
        Value clamped = clampFloat(scalar, scalar.create<arith::SelectOp>(above, shifted, bound),
                                   bound, constant(scalar, real, high));
        Value integer = scalar.create<arith::FPToSIOp>(scalar.getI32Type(), clamped);
        if (width == 32) return integer;
        return scalar.create<arith::TruncIOp>(type.getElementType(), integer);
      });
}

Value convertDequantize(Builder& b, graph::DequantizeOp op,
                        OpConversionPattern<graph::DequantizeOp>::OpAdaptor adaptor) {
  RankedTensorType type = signlessType(op.getType());
  int64_t axis = static_cast<int64_t>(op.getAxis());
  Type wide = b.getI32Type(), from = tensorType(adaptor.getInput()).getElementType();
  bool is_unsigned = isUnsignedElement(op.getInput().getType());
  Value scales = axisConstant(b, type.getElementType(), op.getScales(), axis, type.getRank());
  Value zeros = axisConstant(b, wide, op.getZeroPoints(), axis, type.getRank());
  return elementwise(b, {adaptor.getInput(), scales, zeros}, type,
                     [&](Builder& scalar, ValueRange v) -> Value {
                       Value x = v[0];
                       if (from != wide) {
                         x = is_unsigned ? scalar.create<arith::ExtUIOp>(wide, x).getResult()
                                         : scalar.create<arith::ExtSIOp>(wide, x).getResult();
                       }
                       Value centred = scalar.create<arith::SubIOp>(x, v[2]);
                       return scalar.create<arith::MulFOp>(
                           scalar.create<arith::SIToFPOp>(type.getElementType(), centred), v[1]);
                     });
}

Value convertQmul(Builder& b, graph::QmulOp op,
                  OpConversionPattern<graph::QmulOp>::OpAdaptor adaptor) {
  int64_t shift = static_cast<int64_t>(op.getShift());
  if (shift < 0 || shift > kMaxAluShift) {
    op.emitError() << "shift " << shift << " is outside of 0 to " << kMaxAluShift;
    return {};
  }
  return elementwise(
      b, {adaptor.getInput(), adaptor.getMultiplier()}, signlessType(op.getType()),
      [&](Builder& scalar, ValueRange v) -> Value {
        Type wide = scalar.getI64Type();
        auto number = [&](int64_t value) { return constantInt(scalar, wide, value); };
        Value value = scalar.create<arith::MulIOp>(scalar.create<arith::ExtSIOp>(wide, v[0]),
                                                   scalar.create<arith::ExtSIOp>(wide, v[1]));
        if (shift > 0) {
          // Adding half and shifting rounds ties up; one less than half for negative products
          // rounds them down, that is away from zero.
          Value sign = scalar.create<arith::ShRSIOp>(value, number(63));
          value = scalar.create<arith::AddIOp>(value, number(int64_t{1} << (shift - 1)));
          value = scalar.create<arith::AddIOp>(value, sign);
          value = scalar.create<arith::ShRSIOp>(value, number(shift));
        }
        value = scalar.create<arith::MaxSIOp>(value, number(INT32_MIN));
        value = scalar.create<arith::MinSIOp>(value, number(INT32_MAX));
        return scalar.create<arith::TruncIOp>(scalar.getI32Type(), value);
      });
}

/// x >> amount for a known amount in [-32, 31].
Value shiftByConstant(Builder& b, Value x, int64_t amount) {
  Type type = x.getType();
  if (amount == -32) return constantInt(b, type, 0);
  if (amount < 0) return b.create<arith::ShLIOp>(x, constantInt(b, type, -amount));
  return b.create<arith::ShRSIOp>(x, constantInt(b, type, amount));
}

Value shiftByValue(Builder& b, Value x, Value amount) {
  Type type = x.getType();
  Value zero = constantInt(b, type, 0), mask = constantInt(b, type, 31);
  Value left_amount = b.create<arith::SubIOp>(zero, amount);
  Value left = b.create<arith::ShLIOp>(x, b.create<arith::AndIOp>(left_amount, mask));
  Value right = b.create<arith::ShRSIOp>(x, b.create<arith::AndIOp>(amount, mask));
  Value is_left = b.create<arith::CmpIOp>(arith::CmpIPredicate::slt, amount, zero);
  Value by_32 =
      b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, amount, constantInt(b, type, -32));
  left = b.create<arith::SelectOp>(by_32, zero, left);
  return b.create<arith::SelectOp>(is_left, left, right);
}

Value convertShr(Builder& b, graph::ShrOp op,
                 OpConversionPattern<graph::ShrOp>::OpAdaptor adaptor) {
  RankedTensorType type = signlessType(op.getType());
  DenseIntElementsAttr amount;
  if (matchPattern(op.getAmount(), m_Constant(&amount))) {
    for (const APInt& value : amount.getValues<APInt>()) {
      if (value.getSExtValue() >= -32 && value.getSExtValue() <= 31) continue;
      op.emitError() << "shift amount " << value.getSExtValue() << " is outside of -32 to 31";
      return {};
    }
    if (amount.isSplat()) {
      int64_t value = amount.getSplatValue<APInt>().getSExtValue();
      return elementwise(b, adaptor.getInput(), type, [&](Builder& scalar, ValueRange v) {
        return shiftByConstant(scalar, v[0], value);
      });
    }
  }
  return elementwise(
      b, {adaptor.getInput(), adaptor.getAmount()}, type,
      [](Builder& scalar, ValueRange v) { return shiftByValue(scalar, v[0], v[1]); });
}

Value convertClipInt(Builder& b, graph::ClipIntOp op,
                     OpConversionPattern<graph::ClipIntOp>::OpAdaptor adaptor) {
  RankedTensorType type = signlessType(op.getType());
  Type element = type.getElementType();
  int64_t low = static_cast<int64_t>(op.getMin()), high = static_cast<int64_t>(op.getMax());
  bool is_unsigned = isUnsignedElement(op.getType());
  return elementwise(b, adaptor.getInput(), type, [&](Builder& scalar, ValueRange v) {
    Value above = binaryScalar(scalar, graph::BinaryKind::max, v[0],
                               constantInt(scalar, element, low), is_unsigned);
    return binaryScalar(scalar, graph::BinaryKind::min, above, constantInt(scalar, element, high),
                        is_unsigned);
  });
}

/// Tables are read in place, one element at a time: they stay in the first level of the cache.
Value convertTable(Builder& b, graph::TableOp op,
                   OpConversionPattern<graph::TableOp>::OpAdaptor adaptor) {
  return elementwise(
      b, adaptor.getInput(), signlessType(op.getType()),
      [&](Builder& scalar, ValueRange v) -> Value {
        SmallVector<Value> place;
        for (int64_t axis : op.getAxes()) place.push_back(scalar.create<linalg::IndexOp>(axis));
        // Flipping the sign bit adds 128 to an int8, read as an unsigned number.
        Value biased = scalar.create<arith::XOrIOp>(
            v[0], constantInt(scalar, scalar.getI8Type(), -graph::kTableEntries / 2));
        place.push_back(scalar.create<arith::IndexCastUIOp>(scalar.getIndexType(), biased));
        return scalar.create<tensor::ExtractOp>(adaptor.getTable(), place);
      });
}

}  // namespace

void addQuantizationPatterns(RewritePatternSet& patterns, const TypeConverter& types) {
  addPattern<graph::QuantizeOp>(patterns, types, convertQuantize);
  addPattern<graph::DequantizeOp>(patterns, types, convertDequantize);
  addPattern<graph::QmulOp>(patterns, types, convertQmul);
  addPattern<graph::ShrOp>(patterns, types, convertShr);
  addPattern<graph::ClipIntOp>(patterns, types, convertClipInt);
  addPattern<graph::TableOp>(patterns, types, convertTable);
}

}  // namespace vta::compiler::graph_to_linalg
