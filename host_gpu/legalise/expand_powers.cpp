#include "host_gpu/legalise/expand_powers.h"

#include <limits>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace vta::codegen {
namespace {

using namespace mlir;

/// Emits the steps for one power.
class PowerBuilder {
 public:
  PowerBuilder(Location loc, OpBuilder& builder) : b_(loc, builder) {}

  /// base^exponent, as the C library defines it: 1 for an exponent of 0 and for a base of 1, NaN
  /// for a fraction as the exponent of a negative base.
  Value build(Value base, Value exponent) {
    Value logarithm = b_.create<math::LogOp>(b_.create<math::AbsFOp>(base));
    Value size = b_.create<math::ExpOp>(b_.create<arith::MulFOp>(exponent, logarithm));
    Value is_negative = compare(arith::CmpFPredicate::OLT, base, real(0));
    Value is_whole = isWhole(exponent);
    Value is_odd = b_.create<arith::AndIOp>(
        is_whole,
        b_.create<arith::XOrIOp>(isWhole(b_.create<arith::MulFOp>(exponent, real(0.5F))), yes()));
    Value with_sign = choose(is_odd, b_.create<arith::NegFOp>(size), size);
    Value of_negative = choose(is_whole, with_sign, real(std::numeric_limits<float>::quiet_NaN()));
    Value result = choose(is_negative, of_negative, size);
    Value is_one = b_.create<arith::OrIOp>(compare(arith::CmpFPredicate::OEQ, exponent, real(0)),
                                           compare(arith::CmpFPredicate::OEQ, base, real(1)));
    return choose(is_one, real(1), result);
  }

 private:
  Value real(float value) {
    return b_.create<arith::ConstantFloatOp>(APFloat(value), b_.getF32Type());
  }
  Value yes() { return b_.create<arith::ConstantIntOp>(1, 1); }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return b_.create<arith::CmpFOp>(predicate, x, y);
  }
  Value choose(Value condition, Value x, Value y) {
    return b_.create<arith::SelectOp>(condition, x, y);
  }
  Value isWhole(Value x) {
    return compare(arith::CmpFPredicate::OEQ, b_.create<math::FloorOp>(x), x);
  }

  ImplicitLocOpBuilder b_;
};

}  // namespace

void expandPowers(ModuleOp module) {
  SmallVector<math::PowFOp> ops;
  module.walk([&](math::PowFOp op) {
    if (op.getType().isF32()) ops.push_back(op);
  });
  for (math::PowFOp op : ops) {
    OpBuilder builder(op);
    op.replaceAllUsesWith(PowerBuilder(op.getLoc(), builder).build(op.getLhs(), op.getRhs()));
    op.erase();
  }
}

}  // namespace vta::codegen
