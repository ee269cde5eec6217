// gpu-round-divisions: quotients that become integers are the nearest floats, as on the CPU.
#include "host_gpu/legalise/passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Pass/Pass.h"

namespace vta::codegen {

#define GEN_PASS_DEF_GPUROUNDDIVISIONSPASS
#include "host_gpu/legalise/passes.h.inc"

namespace {

using namespace mlir;

// 2^12 + 1: a product with it tells the upper half of a float's 24 bits from the lower one.
constexpr float kSplitter = 4097.0F;
// Within these bounds no product or remainder leaves the range of floats.
constexpr float kLeast = 0x1p-60F, kMost = 0x1p60F;
constexpr int64_t kExponentMask = 0x7f800000, kSignMask = 0x80000000;
constexpr int64_t kUlpExponents = 23 << 23;

/// Emits the steps for one quotient.
class QuotientRounder {
 public:
  QuotientRounder(Location loc, OpBuilder& builder) : b_(loc, builder) {}

  /// The float nearest to a / b, if `quotient` is a few units in the last place from it. Beyond
  /// kLeast and kMost, `quotient` itself.
  Value round(Value a, Value b, Value quotient) {
    Value near = add(quotient, b_.create<arith::DivFOp>(remainder(a, b, quotient), b));
    Value rest = remainder(a, b, near);
    // The neighbour is nearer if the rest is more than half of a unit in the last place.
    Value bits = asBits(near);
    Value exponent = b_.create<arith::AndIOp>(bits, integer(kExponentMask));
    Value unit = asReal(b_.create<arith::SubIOp>(exponent, integer(kUlpExponents)));
    Value half = mul(mul(unit, real(0.5F)), magnitude(b));
    Value is_far = compare(arith::CmpFPredicate::OGT, magnitude(rest), half);
    // Away from zero if the rest, as a quotient, has the sign of the quotient.
    Value signs = b_.create<arith::XOrIOp>(b_.create<arith::XOrIOp>(asBits(rest), asBits(b)), bits);
    Value is_inward = b_.create<arith::CmpIOp>(arith::CmpIPredicate::slt, signs, integer(0));
    Value step = b_.create<arith::SelectOp>(is_inward, integer(-1), integer(1));
    Value neighbour = asReal(b_.create<arith::AddIOp>(bits, step));
    Value nearest = b_.create<arith::SelectOp>(is_far, neighbour, near);
    Value is_usual = b_.create<arith::AndIOp>(isUsual(quotient), isUsual(b));
    return b_.create<arith::SelectOp>(is_usual, nearest, quotient);
  }

 private:
  struct Halves {
    Value high, low;
  };

  Value real(float value) {
    return b_.create<arith::ConstantFloatOp>(APFloat(value), b_.getF32Type());
  }
  Value integer(int64_t value) {
    return b_.create<arith::ConstantIntOp>(static_cast<int32_t>(value), 32);
  }
  Value add(Value x, Value y) { return b_.create<arith::AddFOp>(x, y); }
  Value sub(Value x, Value y) { return b_.create<arith::SubFOp>(x, y); }
  Value mul(Value x, Value y) { return b_.create<arith::MulFOp>(x, y); }
  Value asBits(Value x) { return b_.create<arith::BitcastOp>(b_.getI32Type(), x); }
  Value asReal(Value x) { return b_.create<arith::BitcastOp>(b_.getF32Type(), x); }
  Value magnitude(Value x) { return b_.create<math::AbsFOp>(x); }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return b_.create<arith::CmpFOp>(predicate, x, y);
  }
  Value isUsual(Value x) {
    Value size = magnitude(x);
    return b_.create<arith::AndIOp>(compare(arith::CmpFPredicate::OGE, size, real(kLeast)),
                                    compare(arith::CmpFPredicate::OLE, size, real(kMost)));
  }

  /// Two floats of 12 bits, whose sum is `x` (Dekker).
  Halves split(Value x) {
    Value scaled = mul(x, real(kSplitter));
    Value high = sub(scaled, sub(scaled, x));
    return {high, sub(x, high)};
  }

  /// a - b * quotient, exactly: a product of halves has no rounding.
  Value remainder(Value a, Value b, Value quotient) {
    Value product = mul(quotient, b);
    const Halves q = split(quotient), d = split(b);
    Value error = sub(mul(q.high, d.high), product);
    error = add(add(error, mul(q.high, d.low)), mul(q.low, d.high));
    error = add(error, mul(q.low, d.low));
    return sub(sub(a, product), error);
  }

  ImplicitLocOpBuilder b_;
};

bool becomesInteger(arith::DivFOp op) {
  return op.getType().isF32() &&
         llvm::any_of(op->getUsers(), llvm::IsaPred<math::RoundEvenOp, math::FloorOp>);
}

class GpuRoundDivisionsPass : public impl::GpuRoundDivisionsPassBase<GpuRoundDivisionsPass> {
 public:
  void runOnOperation() override {
    SmallVector<arith::DivFOp> ops;
    getOperation().walk([&](arith::DivFOp op) {
      if (becomesInteger(op)) ops.push_back(op);
    });
    for (arith::DivFOp op : ops) {
      OpBuilder builder(op);
      builder.setInsertionPointAfter(op);
      Value rounded = QuotientRounder(op.getLoc(), builder).round(op.getLhs(), op.getRhs(), op);
      op->replaceUsesWithIf(ValueRange{rounded}, [&](OpOperand& use) {
        return isa<math::RoundEvenOp, math::FloorOp>(use.getOwner());
      });
    }
  }
};

}  // namespace
}  // namespace vta::codegen
