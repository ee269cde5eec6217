#include "compiler/codegen/arithmetic/half_floats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace vta::compiler {
namespace {

using namespace mlir;

/// Arithmetic on the bits of floats: conversions of 16-bit floats by instructions need a processor
/// that has them, or functions of a library that modules are not linked with.
struct Bits {
  ImplicitLocOpBuilder& b;

  Value number(uint32_t value) const {
    return b.create<arith::ConstantIntOp>(static_cast<int64_t>(value), 32);
  }
  Value real(uint32_t bits) const { return asReal(number(bits)); }
  Value asReal(Value x) const { return b.create<arith::BitcastOp>(b.getF32Type(), x); }
  Value asBits(Value x) const { return b.create<arith::BitcastOp>(b.getI32Type(), x); }
  Value add(Value x, Value y) const { return b.create<arith::AddIOp>(x, y); }
  Value sub(Value x, Value y) const { return b.create<arith::SubIOp>(x, y); }
  Value both(Value x, uint32_t mask) const { return b.create<arith::AndIOp>(x, number(mask)); }
  Value either(Value x, Value y) const { return b.create<arith::OrIOp>(x, y); }
  Value left(Value x, uint32_t by) const { return b.create<arith::ShLIOp>(x, number(by)); }
  Value right(Value x, uint32_t by) const { return b.create<arith::ShRUIOp>(x, number(by)); }
  Value isBelow(Value x, uint32_t bound) const {
    return b.create<arith::CmpIOp>(arith::CmpIPredicate::ult, x, number(bound));
  }
  Value select(Value condition, Value x, Value y) const {
    return b.create<arith::SelectOp>(condition, x, y);
  }
  Value narrow(Value x, Type type) const {
    return b.create<arith::BitcastOp>(type, b.create<arith::TruncIOp>(b.getI16Type(), x));
  }
  Value widen(Value x) const {
    Value bits = b.create<arith::BitcastOp>(b.getI16Type(), x);
    return b.create<arith::ExtUIOp>(b.getI32Type(), bits);
  }
};

Value narrowToBfloat(const Bits& bits, Value given, Type type) {
  const Value odd = bits.both(bits.right(given, 16), 1);
  const Value rounded = bits.right(bits.add(given, bits.add(odd, bits.number(0x7fff))), 16);
  const Value nan = bits.either(bits.right(given, 16), bits.number(0x40));
  const Value is_number = bits.isBelow(bits.both(given, 0x7fffffff), 0x7f800001);
  return bits.narrow(bits.select(is_number, rounded, nan), type);
}

}  // namespace

Value widenFloat(ImplicitLocOpBuilder& b, Value x) {
  const Bits bits{b};
  const Value given = bits.widen(x);
  if (x.getType().isBF16()) return bits.asReal(bits.left(given, 16));
  const Value sign = bits.left(bits.both(given, 0x8000), 16);
  const Value magnitude = bits.both(given, 0x7fff);
  const Value moved = bits.left(magnitude, 13);
  const Value finite =
      bits.asBits(b.create<arith::MulFOp>(bits.asReal(moved), bits.real(0x77800000)));
  const Value special = bits.either(moved, bits.number(0x7f800000));
  const Value value = bits.select(bits.isBelow(magnitude, 0x7c00), finite, special);
  return bits.asReal(bits.either(value, sign));
}

Value narrowFloat(ImplicitLocOpBuilder& b, Value x, Type type) {
  const Bits bits{b};
  const Value given = bits.asBits(x);
  if (type.isBF16()) return narrowToBfloat(bits, given, type);
  const Value sign = bits.both(bits.right(given, 16), 0x8000);
  const Value magnitude = bits.both(given, 0x7fffffff);
  const Value sum = b.create<arith::AddFOp>(bits.asReal(magnitude), bits.real(0x3f000000));
  const Value small = bits.sub(bits.asBits(sum), bits.number(0x3f000000));
  const Value odd = bits.both(bits.right(magnitude, 13), 1);
  const Value biased = bits.add(bits.sub(magnitude, bits.number(0x38000000 - 0xfff)), odd);
  Value value = bits.select(bits.isBelow(magnitude, 0x38800000), small, bits.right(biased, 13));
  value = bits.select(bits.isBelow(magnitude, 0x47800000), value, bits.number(0x7c00));
  value = bits.select(bits.isBelow(magnitude, 0x7f800001), value, bits.number(0x7e00));
  return bits.narrow(bits.either(value, sign), type);
}

}  // namespace vta::compiler
