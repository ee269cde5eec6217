#include "host_gpu/legalise/expansions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace vta::codegen {
namespace {

using namespace mlir;
using arith::CmpIPredicate;

constexpr int64_t kSign = 0x80000000, kMagnitude = 0x7fffffff;
constexpr int64_t kInfinity = 0x7f800000, kNan = 0x7fc00000;
constexpr int64_t kDigits = 23, kHiddenBit = 1 << kDigits, kExponentBias = 127;
/// A remainder has 24 bits, and the word in which it is shifted 32.
constexpr int64_t kRoundBits = 8;
/// The exponents of finite floats differ by less than 254.
constexpr int64_t kRounds = 32;

/// Emits the steps for one remainder: long division of the mantissas, several bits a round. All
/// invocations take as many rounds as the farthest floats. All is integers: a GPU may round small
/// floats to zero.
class RemainderBuilder {
 public:
  RemainderBuilder(Location loc, OpBuilder& builder) : b_(loc, builder) {}

  /// fmodf(x, y): the sign of x; NaN for y = 0, infinite x, and NaN.
  Value build(Value x, Value y) {
    Value x_bits = asBits(x);
    Value x_size = bitAnd(x_bits, number(kMagnitude));
    Value y_size = bitAnd(asBits(y), number(kMagnitude));
    const Number dividend = split(x_size), divisor = split(y_size);
    Value is_smaller = compare(CmpIPredicate::slt, x_size, y_size);
    Value rest = remainder(dividend, divisor);
    Value size = choose(is_smaller, x_size, asFloat(rest, divisor.exponent));
    Value is_missing = b_.create<arith::OrIOp>(
        b_.create<arith::OrIOp>(compare(CmpIPredicate::eq, y_size, number(0)),
                                compare(CmpIPredicate::sge, x_size, number(kInfinity))),
        compare(CmpIPredicate::sgt, y_size, number(kInfinity)));
    Value bits = b_.create<arith::OrIOp>(size, bitAnd(x_bits, number(kSign)));
    return b_.create<arith::BitcastOp>(b_.getF32Type(), choose(is_missing, number(kNan), bits));
  }

 private:
  /// mantissa * 2^(exponent - 150)
  struct Number {
    Value mantissa, exponent;
  };

  Number split(Value size) {
    Value is_normal = compare(CmpIPredicate::sge, size, number(kHiddenBit));
    Value digits = bitAnd(size, number(kHiddenBit - 1));
    Value exponent = b_.create<arith::ShRUIOp>(size, number(kDigits));
    return {choose(is_normal, add(digits, number(kHiddenBit)), digits),
            b_.create<arith::MaxSIOp>(exponent, number(1))};
  }

  /// dividend.mantissa * 2^(difference of the exponents) modulo divisor.mantissa, if the difference
  /// is not negative.
  Value remainder(const Number& dividend, const Number& divisor) {
    Value shift = b_.create<arith::MaxSIOp>(sub(dividend.exponent, divisor.exponent), number(0));
    Value by = b_.create<arith::MaxSIOp>(divisor.mantissa, number(1));
    auto loop = b_.create<scf::ForOp>(index(0), index(kRounds), index(1),
                                      ValueRange{dividend.mantissa, shift});
    const OpBuilder::InsertionGuard restores(b_);
    b_.setInsertionPointToStart(loop.getBody());
    Value left = loop.getRegionIterArg(1);
    Value bits = b_.create<arith::MinSIOp>(left, number(kRoundBits));
    Value shifted = shiftLeft(loop.getRegionIterArg(0), bits);
    b_.create<scf::YieldOp>(
        ValueRange{b_.create<arith::RemUIOp>(shifted, by).getResult(), sub(left, bits)});
    return loop.getResult(0);
  }

  /// The bits of the float mantissa * 2^(exponent - 150), of a mantissa below 2^24.
  Value asFloat(Value mantissa, Value exponent) {
    Value as_real = b_.create<arith::SIToFPOp>(b_.getF32Type(), mantissa);
    Value magnitude = b_.create<arith::ShRUIOp>(asBits(as_real), number(kDigits));
    Value missing = sub(number(kDigits + kExponentBias), magnitude);
    Value shift = b_.create<arith::MinSIOp>(missing, sub(exponent, number(1)));
    shift = b_.create<arith::MinSIOp>(shift, number(kDigits));
    // The hidden bit adds one to the exponent.
    Value upper = shiftLeft(sub(sub(exponent, shift), number(1)), number(kDigits));
    Value is_zero = compare(CmpIPredicate::eq, mantissa, number(0));
    return choose(is_zero, number(0), add(shiftLeft(mantissa, shift), upper));
  }

  Value number(int64_t value) {
    return b_.create<arith::ConstantIntOp>(static_cast<int32_t>(value), 32);
  }
  Value index(int64_t value) { return b_.create<arith::ConstantIndexOp>(value); }
  Value add(Value x, Value y) { return b_.create<arith::AddIOp>(x, y); }
  Value sub(Value x, Value y) { return b_.create<arith::SubIOp>(x, y); }
  Value bitAnd(Value x, Value y) { return b_.create<arith::AndIOp>(x, y); }
  Value shiftLeft(Value x, Value bits) { return b_.create<arith::ShLIOp>(x, bits); }
  Value asBits(Value x) { return b_.create<arith::BitcastOp>(b_.getI32Type(), x); }
  Value compare(CmpIPredicate predicate, Value x, Value y) {
    return b_.create<arith::CmpIOp>(predicate, x, y);
  }
  Value choose(Value condition, Value x, Value y) {
    return b_.create<arith::SelectOp>(condition, x, y);
  }

  ImplicitLocOpBuilder b_;
};

}  // namespace

void expandRemainders(ModuleOp module) {
  module.walk([](arith::RemFOp op) {
    if (!op.getType().isF32()) return;
    OpBuilder builder(op);
    op.replaceAllUsesWith(RemainderBuilder(op.getLoc(), builder).build(op.getLhs(), op.getRhs()));
    op.erase();
  });
}

}  // namespace vta::codegen
