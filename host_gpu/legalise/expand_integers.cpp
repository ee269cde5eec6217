#include "host_gpu/legalise/expansions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace vta::codegen {
namespace {

using namespace mlir;
using arith::CmpIPredicate;

/// Emits the steps for one power of integers.
class IntegerPowerBuilder {
 public:
  IntegerPowerBuilder(Location loc, OpBuilder& builder, Type type)
      : b_(loc, builder), type_(type) {}

  /// Products wrap. Of negative exponents: the fraction's whole part, and 0 for a base of 0.
  Value build(Value base, Value exponent) {
    Value power = powerOfPositive(base, exponent);
    Value one = number(1), zero = number(0);
    Value is_odd = isOdd(exponent);
    Value of_minus_one = choose(is_odd, number(-1), one);
    Value inverse = choose(equals(base, number(-1)), of_minus_one, zero);
    inverse = choose(equals(base, one), one, inverse);
    Value is_negative = b_.create<arith::CmpIOp>(CmpIPredicate::slt, exponent, zero);
    return choose(is_negative, inverse, power);
  }

 private:
  /// One round for each bit of a positive exponent.
  Value powerOfPositive(Value base, Value exponent) {
    const int64_t rounds = type_.getIntOrFloatBitWidth() - 1;
    auto loop = b_.create<scf::ForOp>(index(0), index(rounds), index(1),
                                      ValueRange{number(1), base, exponent});
    const OpBuilder::InsertionGuard restores(b_);
    b_.setInsertionPointToStart(loop.getBody());
    Value product = loop.getRegionIterArg(0), square = loop.getRegionIterArg(1);
    Value rest = loop.getRegionIterArg(2);
    Value next = b_.create<arith::MulIOp>(product, choose(isOdd(rest), square, number(1)));
    Value squared = b_.create<arith::MulIOp>(square, square);
    Value halved = b_.create<arith::ShRUIOp>(rest, number(1));
    b_.create<scf::YieldOp>(ValueRange{next, squared, halved});
    return loop.getResult(0);
  }

  Value number(int64_t value) {
    return b_.create<arith::ConstantOp>(b_.getIntegerAttr(type_, value));
  }
  Value index(int64_t value) { return b_.create<arith::ConstantIndexOp>(value); }
  Value equals(Value x, Value y) { return b_.create<arith::CmpIOp>(CmpIPredicate::eq, x, y); }
  Value isOdd(Value x) {
    return b_.create<arith::CmpIOp>(CmpIPredicate::ne, b_.create<arith::AndIOp>(x, number(1)),
                                    number(0));
  }
  Value choose(Value condition, Value x, Value y) {
    return b_.create<arith::SelectOp>(condition, x, y);
  }

  ImplicitLocOpBuilder b_;
  Type type_;
};

/// `x` without its fraction, modulo 2^32, as 32 bits. Every step is exact.
Value lowWord(ImplicitLocOpBuilder& b, Value x) {
  const auto real = [&](float value) -> Value {
    return b.create<arith::ConstantFloatOp>(APFloat(value), b.getF32Type());
  };
  const Value whole = b.create<math::FloorOp>(b.create<math::AbsFOp>(x));
  const Value upper = b.create<math::FloorOp>(b.create<arith::MulFOp>(whole, real(0x1p-32F)));
  const Value rest = b.create<arith::SubFOp>(whole, b.create<arith::MulFOp>(upper, real(0x1p32F)));
  const Value is_large = b.create<arith::CmpFOp>(arith::CmpFPredicate::OGE, rest, real(0x1p31F));
  const Value moved = b.create<arith::SubFOp>(rest, real(0x1p32F));
  const Value size = b.create<arith::FPToSIOp>(
      b.getI32Type(), b.create<arith::SelectOp>(is_large, moved, rest).getResult());
  const Value negated =
      b.create<arith::SubIOp>(b.create<arith::ConstantIntOp>(0, 32).getResult(), size);
  const Value is_negative = b.create<arith::CmpFOp>(arith::CmpFPredicate::OLT, x, real(0));
  return b.create<arith::SelectOp>(is_negative, negated, size);
}

}  // namespace

void expandIntegerPowers(ModuleOp module) {
  module.walk([](math::IPowIOp op) {
    OpBuilder builder(op);
    IntegerPowerBuilder powers(op.getLoc(), builder, op.getType());
    op.replaceAllUsesWith(powers.build(op.getLhs(), op.getRhs()));
    op.erase();
  });
}

void expandLargeConversions(ModuleOp module) {
  module.walk([](arith::TruncIOp op) {
    auto converted = op.getIn().getDefiningOp<arith::FPToSIOp>();
    if (!converted || !converted.getType().isInteger(64)) return;
    if (!converted.getIn().getType().isF32() || op.getType().getIntOrFloatBitWidth() > 32) return;
    ImplicitLocOpBuilder b(op.getLoc(), op);
    Value word = lowWord(b, converted.getIn());
    if (word.getType() != op.getType()) word = b.create<arith::TruncIOp>(op.getType(), word);
    op.replaceAllUsesWith(word);
    op.erase();
    if (converted->use_empty()) converted.erase();
  });
}

}  // namespace vta::codegen
