// Element-wise ops of floats and plain integers.
#include <cmath>

#include "compiler/codegen/arithmetic/half_floats.h"
#include "compiler/codegen/graph_to_linalg/patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

namespace vta::compiler::graph_to_linalg {
namespace {

using namespace mlir;

/// elementwise() with a body that may have no lowering for the type: then a diagnostic and null.
Value checkedElementwise(Builder& b, Operation* op, StringRef kind, ValueRange operands,
                         RankedTensorType type, ScalarBody body) {
  bool missing = false;
  Value value = elementwise(b, operands, type, [&](Builder& scalar, ValueRange v) {
    Value result = body(scalar, v);
    if (result) return result;
    missing = true;
    return constantInt(scalar, type.getElementType(), 0);
  });
  if (!missing) return value;
  op->emitError() << "'" << kind << "' is not defined for element type "
                  << getElementTypeOrSelf(op->getOperand(0).getType());
  return {};
}

Value convertUnary(Builder& b, graph::UnaryOp op,
                   OpConversionPattern<graph::UnaryOp>::OpAdaptor adaptor) {
  return checkedElementwise(
      b, op, stringifyUnaryKind(op.getKind()), adaptor.getInput(), signlessType(op.getType()),
      [&](Builder& scalar, ValueRange v) { return unaryScalar(scalar, op, v[0]); });
}

/// x ^ 2 is by far the most common power.
bool isSquare(graph::BinaryOp op) {
  DenseFPElementsAttr exponent;
  return op.getKind() == graph::BinaryKind::pow &&
         matchPattern(op.getRhs(), m_Constant(&exponent)) && exponent.isSplat() &&
         exponent.getSplatValue<APFloat>().convertToDouble() == 2.0;
}

Value convertBinary(Builder& b, graph::BinaryOp op,
                    OpConversionPattern<graph::BinaryOp>::OpAdaptor adaptor) {
  RankedTensorType type = signlessType(op.getType());
  if (isSquare(op)) {
    return elementwise(b, adaptor.getLhs(), type, [](Builder& scalar, ValueRange v) -> Value {
      return scalar.create<arith::MulFOp>(v[0], v[0]);
    });
  }
  bool is_unsigned = isUnsignedElement(op.getLhs().getType());
  return checkedElementwise(b, op, stringifyBinaryKind(op.getKind()),
                            {adaptor.getLhs(), adaptor.getRhs()}, type,
                            [&](Builder& scalar, ValueRange v) {
                              return binaryScalar(scalar, op.getKind(), v[0], v[1], is_unsigned);
                            });
}

Value convertWhere(Builder& b, graph::WhereOp op,
                   OpConversionPattern<graph::WhereOp>::OpAdaptor adaptor) {
  return elementwise(b, {adaptor.getCondition(), adaptor.getLhs(), adaptor.getRhs()},
                     signlessType(op.getType()), [](Builder& scalar, ValueRange v) -> Value {
                       return scalar.create<arith::SelectOp>(v[0], v[1], v[2]);
                     });
}

Value convertClip(Builder& b, graph::ClipOp op,
                  OpConversionPattern<graph::ClipOp>::OpAdaptor adaptor) {
  RankedTensorType type = signlessType(op.getType());
  double low = op.getMin().convertToDouble(), high = op.getMax().convertToDouble();
  return elementwise(b, adaptor.getInput(), type, [&](Builder& scalar, ValueRange v) {
    return clampFloat(scalar, v[0], constant(scalar, type.getElementType(), low),
                      constant(scalar, type.getElementType(), high));
  });
}

/// `x` without its fraction. What does not fit becomes the least integer, on every processor: each
/// has its own idea of it.
Value truncateFloat(Builder& b, Value x, IntegerType type) {
  const double limit = std::ldexp(1.0, static_cast<int>(type.getWidth()) - 1);
  Value least = constant(b, x.getType(), -limit), end = constant(b, x.getType(), limit);
  Value fits = b.create<arith::AndIOp>(
      b.create<arith::CmpFOp>(arith::CmpFPredicate::OGE, x, least).getResult(),
      b.create<arith::CmpFOp>(arith::CmpFPredicate::OLT, x, end).getResult());
  return b.create<arith::FPToSIOp>(type, b.create<arith::SelectOp>(fits, x, least));
}

/// As graph::truncated.
Value floatToInteger(Builder& b, Value x, IntegerType type, bool is_unsigned) {
  unsigned width = type.getWidth();
  if (width == 64 && is_unsigned) {
    Value limit = constant(b, x.getType(), 0x1p63);
    Value is_moved = b.create<arith::CmpFOp>(arith::CmpFPredicate::OGE, x, limit);
    Value rest = b.create<arith::SelectOp>(is_moved, b.create<arith::SubFOp>(x, limit), x);
    Value value = truncateFloat(b, rest, type);
    Value moved = b.create<arith::XOrIOp>(value, constantInt(b, type, INT64_MIN));
    return b.create<arith::SelectOp>(is_moved, moved, value);
  }
  // Narrow types go through a wider one, so that values outside of them wrap.
  bool wide = width == 64 || (width == 32 && is_unsigned);
  IntegerType intermediate = wide ? b.getI64Type() : b.getI32Type();
  Value value = truncateFloat(b, x, intermediate);
  return intermediate == type ? value : b.create<arith::TruncIOp>(type, value).getResult();
}

bool isHalf(Type type) { return type.isF16() || type.isBF16(); }

Value castScalar(Builder& b, Value x, Type type, bool from_unsigned, bool to_unsigned) {
  Type from = x.getType();
  if (from == type) return x;
  if (isHalf(from)) return castScalar(b, widenFloat(b, x), type, false, to_unsigned);
  if (isHalf(type)) {
    return narrowFloat(b, castScalar(b, x, b.getF32Type(), from_unsigned, false), type);
  }
  if (type.isInteger(1)) {
    Value zero = constantInt(b, from, 0);
    if (isa<FloatType>(from)) {
      return b.create<arith::CmpFOp>(arith::CmpFPredicate::UNE, x, zero);
    }
    return b.create<arith::CmpIOp>(arith::CmpIPredicate::ne, x, zero);
  }
  auto real = dyn_cast<FloatType>(type);
  if (auto from_real = dyn_cast<FloatType>(from)) {
    if (!real) return floatToInteger(b, x, cast<IntegerType>(type), to_unsigned);
    if (from_real.getWidth() < real.getWidth()) return b.create<arith::ExtFOp>(type, x);
    return b.create<arith::TruncFOp>(type, x);
  }
  if (real) {
    return from_unsigned ? b.create<arith::UIToFPOp>(type, x).getResult()
                         : b.create<arith::SIToFPOp>(type, x).getResult();
  }
  if (from.getIntOrFloatBitWidth() > type.getIntOrFloatBitWidth()) {
    return b.create<arith::TruncIOp>(type, x);
  }
  return from_unsigned ? b.create<arith::ExtUIOp>(type, x).getResult()
                       : b.create<arith::ExtSIOp>(type, x).getResult();
}

Value convertCast(Builder& b, graph::CastOp op,
                  OpConversionPattern<graph::CastOp>::OpAdaptor adaptor) {
  RankedTensorType type = signlessType(op.getType());
  if (adaptor.getInput().getType() == type) return adaptor.getInput();
  return elementwise(b, adaptor.getInput(), type, [&](Builder& scalar, ValueRange v) {
    return castScalar(scalar, v[0], type.getElementType(),
                      isUnsignedElement(op.getInput().getType()), isUnsignedElement(op.getType()));
  });
}

}  // namespace

void addElementwisePatterns(RewritePatternSet& patterns, const TypeConverter& types) {
  addPattern<graph::UnaryOp>(patterns, types, convertUnary);
  addPattern<graph::BinaryOp>(patterns, types, convertBinary);
  addPattern<graph::WhereOp>(patterns, types, convertWhere);
  addPattern<graph::ClipOp>(patterns, types, convertClip);
  addPattern<graph::CastOp>(patterns, types, convertCast);
}

}  // namespace vta::compiler::graph_to_linalg
