// The scalar bodies of graph.unary and graph.binary.
#include <cmath>

#include "compiler/codegen/graph_to_linalg/patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace vta::compiler::graph_to_linalg {
namespace {

using namespace mlir;
using graph::BinaryKind;
using graph::UnaryKind;

/// Arithmetic on values of one float type, with numbers as operands.
struct Real {
  Builder& b;
  Type type;

  Value number(double value) const { return constant(b, type, value); }
  Value add(Value x, Value y) const { return b.create<arith::AddFOp>(x, y); }
  Value sub(Value x, Value y) const { return b.create<arith::SubFOp>(x, y); }
  Value mul(Value x, Value y) const { return b.create<arith::MulFOp>(x, y); }
  Value div(Value x, Value y) const { return b.create<arith::DivFOp>(x, y); }
  Value less(Value x, Value y) const {
    return b.create<arith::CmpFOp>(arith::CmpFPredicate::OLT, x, y);
  }
  Value select(Value condition, Value x, Value y) const {
    return b.create<arith::SelectOp>(condition, x, y);
  }
  template <typename Op>
  Value call(Value x) const {
    return b.create<Op>(x);
  }
};

Value softplus(const Real& r, Value x) {
  Value magnitude = r.call<math::AbsFOp>(x);
  Value tail = r.call<math::Log1pOp>(r.call<math::ExpOp>(r.call<arith::NegFOp>(magnitude)));
  Value zero = r.number(0);
  return r.add(r.select(r.less(x, zero), zero, x), tail);
}

/// The kinds with parameters or a formula of their own.
Value activation(const Real& r, UnaryKind kind, Value x, double alpha, double beta) {
  Value zero = r.number(0), one = r.number(1);
  Value negative = r.less(x, zero);
  switch (kind) {
    case UnaryKind::relu:
      return r.select(negative, zero, x);
    case UnaryKind::leaky_relu:
      return r.select(negative, r.mul(r.number(alpha), x), x);
    case UnaryKind::elu:
      return r.select(negative, r.mul(r.number(alpha), r.call<math::ExpM1Op>(x)), x);
    case UnaryKind::selu: {
      Value low = r.mul(r.number(alpha), r.call<math::ExpM1Op>(x));
      return r.mul(r.number(beta), r.select(negative, low, x));
    }
    case UnaryKind::celu: {
      Value low = r.call<math::ExpM1Op>(r.div(x, r.number(alpha)));
      return r.select(negative, r.mul(r.number(alpha), low), x);
    }
    case UnaryKind::hard_sigmoid:
      return clampFloat(r.b, r.add(r.mul(r.number(alpha), x), r.number(beta)), zero, one);
    case UnaryKind::hard_swish: {
      Value gate = r.add(r.mul(x, r.number(1.0 / 6)), r.number(0.5));
      return r.mul(x, clampFloat(r.b, gate, zero, one));
    }
    case UnaryKind::thresholded_relu:
      return r.select(r.less(r.number(alpha), x), x, zero);
    case UnaryKind::sigmoid:
      return r.div(one, r.add(one, r.call<math::ExpOp>(r.call<arith::NegFOp>(x))));
    case UnaryKind::softplus:
      return softplus(r, x);
    case UnaryKind::softsign:
      return r.div(x, r.add(one, r.call<math::AbsFOp>(x)));
    case UnaryKind::gelu: {
      Value erf = r.call<math::ErfOp>(r.mul(x, r.number(M_SQRT1_2)));
      return r.mul(r.mul(r.number(0.5), x), r.add(one, erf));
    }
    case UnaryKind::mish:
      return r.mul(x, r.call<math::TanhOp>(softplus(r, x)));
    case UnaryKind::sign: {
      Value positive = r.less(zero, x);
      return r.select(positive, one, r.select(negative, r.number(-1), x));
    }
    default:
      return {};
  }
}

Value unaryFloat(const Real& r, UnaryKind kind, Value x, double alpha, double beta) {
  switch (kind) {
    case UnaryKind::neg:
      return r.call<arith::NegFOp>(x);
    case UnaryKind::abs:
      return r.call<math::AbsFOp>(x);
    case UnaryKind::exp:
      return r.call<math::ExpOp>(x);
    case UnaryKind::log:
      return r.call<math::LogOp>(x);
    case UnaryKind::sqrt:
      return r.call<math::SqrtOp>(x);
    case UnaryKind::reciprocal:
      return r.div(r.number(1), x);
    case UnaryKind::tanh:
      return r.call<math::TanhOp>(x);
    case UnaryKind::erf:
      return r.call<math::ErfOp>(x);
    case UnaryKind::floor:
      return r.call<math::FloorOp>(x);
    case UnaryKind::ceil:
      return r.call<math::CeilOp>(x);
    case UnaryKind::round:
      return r.call<math::RoundEvenOp>(x);
    case UnaryKind::sin:
      return r.call<math::SinOp>(x);
    case UnaryKind::cos:
      return r.call<math::CosOp>(x);
    case UnaryKind::tan:
      return r.call<math::TanOp>(x);
    case UnaryKind::asin:
      return r.call<math::AsinOp>(x);
    case UnaryKind::acos:
      return r.call<math::AcosOp>(x);
    case UnaryKind::atan:
      return r.call<math::AtanOp>(x);
    case UnaryKind::sinh:
      return r.call<math::SinhOp>(x);
    case UnaryKind::cosh:
      return r.call<math::CoshOp>(x);
    case UnaryKind::asinh:
      return r.call<math::AsinhOp>(x);
    case UnaryKind::acosh:
      return r.call<math::AcoshOp>(x);
    case UnaryKind::atanh:
      return r.call<math::AtanhOp>(x);
    case UnaryKind::is_nan:
      return r.b.create<arith::CmpFOp>(arith::CmpFPredicate::UNO, x, x);
    case UnaryKind::is_inf:
      return r.b.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, r.call<math::AbsFOp>(x),
                                       highestValue(r.b, r.type, /*is_unsigned=*/false));
    default:
      return activation(r, kind, x, alpha, beta);
  }
}

Value unaryInteger(Builder& b, UnaryKind kind, Value x, bool is_unsigned) {
  Value zero = constantInt(b, x.getType(), 0);
  switch (kind) {
    case UnaryKind::relu:
      return is_unsigned ? x : b.create<arith::MaxSIOp>(x, zero).getResult();
    case UnaryKind::neg:
      return b.create<arith::SubIOp>(zero, x);
    case UnaryKind::abs:
      return is_unsigned ? x : b.create<math::AbsIOp>(x).getResult();
    case UnaryKind::sign: {
      Value one = constantInt(b, x.getType(), 1);
      if (is_unsigned) return b.create<arith::MinUIOp>(x, one);
      Value low = b.create<arith::MaxSIOp>(x, constantInt(b, x.getType(), -1));
      return b.create<arith::MinSIOp>(low, one);
    }
    case UnaryKind::logical_not:
    case UnaryKind::bitwise_not:
      return b.create<arith::XOrIOp>(x, constantInt(b, x.getType(), -1));
    default:
      return {};
  }
}

std::optional<arith::CmpFPredicate> floatPredicate(BinaryKind kind) {
  switch (kind) {
    case BinaryKind::equal:
      return arith::CmpFPredicate::OEQ;
    case BinaryKind::less:
      return arith::CmpFPredicate::OLT;
    case BinaryKind::less_equal:
      return arith::CmpFPredicate::OLE;
    case BinaryKind::greater:
      return arith::CmpFPredicate::OGT;
    case BinaryKind::greater_equal:
      return arith::CmpFPredicate::OGE;
    default:
      return std::nullopt;
  }
}

std::optional<arith::CmpIPredicate> integerPredicate(BinaryKind kind, bool is_unsigned) {
  using enum arith::CmpIPredicate;
  switch (kind) {
    case BinaryKind::equal:
      return eq;
    case BinaryKind::less:
      return is_unsigned ? ult : slt;
    case BinaryKind::less_equal:
      return is_unsigned ? ule : sle;
    case BinaryKind::greater:
      return is_unsigned ? ugt : sgt;
    case BinaryKind::greater_equal:
      return is_unsigned ? uge : sge;
    default:
      return std::nullopt;
  }
}

Value binaryFloat(const Real& r, BinaryKind kind, Value x, Value y) {
  if (auto predicate = floatPredicate(kind)) return r.b.create<arith::CmpFOp>(*predicate, x, y);
  switch (kind) {
    case BinaryKind::add:
      return r.add(x, y);
    case BinaryKind::sub:
      return r.sub(x, y);
    case BinaryKind::mul:
      return r.mul(x, y);
    case BinaryKind::div:
      return r.div(x, y);
    case BinaryKind::min:
      return r.b.create<arith::MinimumFOp>(x, y);
    case BinaryKind::max:
      return r.b.create<arith::MaximumFOp>(x, y);
    case BinaryKind::pow:
      return r.b.create<math::PowFOp>(x, y);
    case BinaryKind::fmod:
      return r.b.create<arith::RemFOp>(x, y);
    case BinaryKind::mod: {  // the sign of the divisor
      Value remainder = r.b.create<arith::RemFOp>(x, y), zero = r.number(0);
      // Not by the sign of their product, which may be too small for a float.
      Value differs = r.b.create<arith::OrIOp>(
          r.b.create<arith::AndIOp>(r.less(remainder, zero), r.less(zero, y)).getResult(),
          r.b.create<arith::AndIOp>(r.less(zero, remainder), r.less(y, zero)).getResult());
      return r.select(differs, r.add(remainder, y), remainder);
    }
    case BinaryKind::prelu:
      return r.select(r.less(x, r.number(0)), r.mul(x, y), x);
    default:
      return {};
  }
}

struct Quotient {
  Value quotient, remainder;
};

/// Division truncated towards zero that never traps: x / 0 is x, and the least value / -1 wraps.
Quotient safeDivide(Builder& b, Value x, Value y, bool is_unsigned) {
  Type type = x.getType();
  Value zero = constantInt(b, type, 0), one = constantInt(b, type, 1);
  auto equals = [&](Value value, Value other) -> Value {
    return b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, value, other);
  };
  Value divisor = b.create<arith::SelectOp>(equals(y, zero), one, y);
  if (is_unsigned) {
    return {b.create<arith::DivUIOp>(x, divisor), b.create<arith::RemUIOp>(x, divisor)};
  }
  Value minus = equals(y, constantInt(b, type, -1));
  divisor = b.create<arith::SelectOp>(minus, one, divisor);
  Value quotient = b.create<arith::DivSIOp>(x, divisor);
  return {b.create<arith::SelectOp>(minus, b.create<arith::SubIOp>(zero, x), quotient),
          b.create<arith::RemSIOp>(x, divisor)};
}

Value shift(Builder& b, BinaryKind kind, Value x, Value y) {
  Type type = x.getType();
  Value width = constantInt(b, type, type.getIntOrFloatBitWidth());
  Value inside = b.create<arith::CmpIOp>(arith::CmpIPredicate::ult, y, width);
  Value zero = constantInt(b, type, 0);
  Value amount = b.create<arith::SelectOp>(inside, y, zero);
  Value shifted = kind == BinaryKind::shift_left ? b.create<arith::ShLIOp>(x, amount).getResult()
                                                 : b.create<arith::ShRUIOp>(x, amount).getResult();
  return b.create<arith::SelectOp>(inside, shifted, zero);
}

/// The op reads exponents as signed.
Value unsignedPower(Builder& b, Value x, Value y) {
  Type type = x.getType();
  const unsigned bits = type.getIntOrFloatBitWidth();
  if (bits < 32) {
    Type wide = b.getI32Type();
    Value power = b.create<math::IPowIOp>(b.create<arith::ExtUIOp>(wide, x).getResult(),
                                          b.create<arith::ExtUIOp>(wide, y).getResult());
    return b.create<arith::TruncIOp>(type, power);
  }
  // The upper bit of an exponent is a multiple of the order of all odd numbers; so large a power of
  // an even one is 0.
  Value zero = constantInt(b, type, 0);
  Value lower = constantInt(b, type, INT64_MAX >> (64 - bits));
  Value power = b.create<math::IPowIOp>(x, b.create<arith::AndIOp>(y, lower));
  Value is_large = b.create<arith::CmpIOp>(arith::CmpIPredicate::slt, y, zero);
  Value is_even = b.create<arith::CmpIOp>(
      arith::CmpIPredicate::eq, b.create<arith::AndIOp>(x, constantInt(b, type, 1)), zero);
  Value is_zero = b.create<arith::AndIOp>(is_large, is_even);
  return b.create<arith::SelectOp>(is_zero, zero, power);
}

/// The op has no code for 8 bits, and divides by zero for a negative power of 0, which is 0 here.
Value signedPower(Builder& b, Value x, Value y) {
  Type type = x.getType(), wide = b.getI32Type();
  if (type.getIntOrFloatBitWidth() > 8) {
    Value zero = constantInt(b, type, 0);
    Value divides = b.create<arith::AndIOp>(
        b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, x, zero).getResult(),
        b.create<arith::CmpIOp>(arith::CmpIPredicate::slt, y, zero).getResult());
    // So is that of 2.
    Value base = b.create<arith::SelectOp>(divides, constantInt(b, type, 2), x);
    return b.create<math::IPowIOp>(base, y);
  }
  Value power = signedPower(b, b.create<arith::ExtSIOp>(wide, x).getResult(),
                            b.create<arith::ExtSIOp>(wide, y).getResult());
  return b.create<arith::TruncIOp>(type, power);
}

Value binaryInteger(Builder& b, BinaryKind kind, Value x, Value y, bool is_unsigned) {
  if (auto predicate = integerPredicate(kind, is_unsigned)) {
    return b.create<arith::CmpIOp>(*predicate, x, y);
  }
  switch (kind) {
    case BinaryKind::add:
      return b.create<arith::AddIOp>(x, y);
    case BinaryKind::sub:
      return b.create<arith::SubIOp>(x, y);
    case BinaryKind::mul:
      return b.create<arith::MulIOp>(x, y);
    case BinaryKind::div:
      return safeDivide(b, x, y, is_unsigned).quotient;
    case BinaryKind::fmod:
      return safeDivide(b, x, y, is_unsigned).remainder;
    case BinaryKind::mod: {  // the sign of the divisor
      Value remainder = safeDivide(b, x, y, is_unsigned).remainder;
      if (is_unsigned) return remainder;
      Value zero = constantInt(b, x.getType(), 0);
      Value nonzero = b.create<arith::CmpIOp>(arith::CmpIPredicate::ne, remainder, zero);
      Value signs = b.create<arith::CmpIOp>(arith::CmpIPredicate::slt,
                                            b.create<arith::XOrIOp>(remainder, y), zero);
      Value adjust = b.create<arith::AndIOp>(nonzero, signs);
      return b.create<arith::SelectOp>(adjust, b.create<arith::AddIOp>(remainder, y), remainder);
    }
    case BinaryKind::min:
      return is_unsigned ? b.create<arith::MinUIOp>(x, y).getResult()
                         : b.create<arith::MinSIOp>(x, y).getResult();
    case BinaryKind::max:
      return is_unsigned ? b.create<arith::MaxUIOp>(x, y).getResult()
                         : b.create<arith::MaxSIOp>(x, y).getResult();
    case BinaryKind::pow:
      return is_unsigned ? unsignedPower(b, x, y) : signedPower(b, x, y);
    case BinaryKind::prelu: {
      Value zero = constantInt(b, x.getType(), 0);
      Value negative = b.create<arith::CmpIOp>(arith::CmpIPredicate::slt, x, zero);
      if (is_unsigned) return x;
      return b.create<arith::SelectOp>(negative, b.create<arith::MulIOp>(x, y), x);
    }
    case BinaryKind::logical_and:
    case BinaryKind::bitwise_and:
      return b.create<arith::AndIOp>(x, y);
    case BinaryKind::logical_or:
    case BinaryKind::bitwise_or:
      return b.create<arith::OrIOp>(x, y);
    case BinaryKind::logical_xor:
    case BinaryKind::bitwise_xor:
      return b.create<arith::XOrIOp>(x, y);
    case BinaryKind::shift_left:
    case BinaryKind::shift_right:
      return shift(b, kind, x, y);
    default:
      return {};
  }
}

}  // namespace

Value unaryScalar(Builder& b, graph::UnaryOp op, Value x) {
  if (isa<FloatType>(x.getType())) {
    return unaryFloat({b, x.getType()}, op.getKind(), x, op.getAlpha().convertToDouble(),
                      op.getBeta().convertToDouble());
  }
  return unaryInteger(b, op.getKind(), x, isUnsignedElement(op.getInput().getType()));
}

Value binaryScalar(Builder& b, BinaryKind kind, Value x, Value y, bool is_unsigned) {
  if (isa<FloatType>(x.getType())) return binaryFloat({b, x.getType()}, kind, x, y);
  return binaryInteger(b, kind, x, y, is_unsigned);
}

}  // namespace vta::compiler::graph_to_linalg
