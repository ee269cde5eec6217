// host-expand-exp: exponentials as arithmetic, which LLVM computes for many elements at a time. A
// call of the C library's function is for one element, and takes 4 ns.
#include <array>

#include "compiler/codegen/passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"

namespace vta::codegen {

#define GEN_PASS_DEF_HOSTEXPANDEXPPASS
#include "compiler/codegen/passes.h.inc"

namespace {

using namespace mlir;

// Results below and above are 0 and infinity.
constexpr float kLeastArgument = -105.0F, kLargestArgument = 89.5F;
constexpr float kLog2OfE = 1.442695041F;
// ln 2 in two parts. The first has so few bits that its products with numbers up to 512 are exact.
constexpr float kLn2High = 0.693359375F, kLn2Low = -2.12194440e-4F;
// A float that large has no fraction bits: adding it rounds to an integer, which is then in the low
// bits.
constexpr float kRounder = 12582912.0F;  // 1.5 * 2^23
// exp(r) = 1 + r + r^2 (c0 + c1 r + ...) for |r| <= ln 2 / 2, with the least relative error.
constexpr std::array<float, 5> kCoefficients = {0.49999994F, 0.16666521F, 0.04166839F, 0.00836872F,
                                                0.00138146F};
constexpr int kFractionBits = 23, kExponentBias = 127;

/// Emits the steps for one element.
class ExpBuilder {
 public:
  ExpBuilder(Location loc, OpBuilder& builder) : b_(loc, builder) {}

  /// exp(x) = 2^n exp(r) with x = n ln 2 + r, off by less than the last bit.
  Value build(Value x) {
    Value above = chosen(arith::CmpFPredicate::OGT, x, real(kLeastArgument));
    Value inside = chosen(arith::CmpFPredicate::OLT, above, real(kLargestArgument));
    Value shifted = add(mul(inside, real(kLog2OfE)), real(kRounder));
    Value n = b_.create<arith::SubFOp>(shifted, real(kRounder));
    Value r = b_.create<arith::SubFOp>(inside, mul(n, real(kLn2High)));
    r = b_.create<arith::SubFOp>(r, mul(n, real(kLn2Low)));
    Value result = scaled(exponentialOf(r), integerIn(shifted));
    Value is_nan = b_.create<arith::CmpFOp>(arith::CmpFPredicate::UNO, x, x);
    return b_.create<arith::SelectOp>(is_nan, x, result);
  }

 private:
  Value real(float value) {
    return b_.create<arith::ConstantFloatOp>(APFloat(value), b_.getF32Type());
  }
  Value integer(int64_t value) { return b_.create<arith::ConstantIntOp>(value, 32); }
  Value add(Value x, Value y) { return b_.create<arith::AddFOp>(x, y); }
  /// x if it compares so with y, else y: maxima and minima would be calls of fmaxf and fminf where
  /// the processor's own treat NaN in another way.
  Value chosen(arith::CmpFPredicate predicate, Value x, Value y) {
    return b_.create<arith::SelectOp>(b_.create<arith::CmpFOp>(predicate, x, y), x, y);
  }
  Value mul(Value x, Value y) { return b_.create<arith::MulFOp>(x, y); }

  Value exponentialOf(Value r) {
    Value sum = real(kCoefficients.back());
    for (size_t i = kCoefficients.size() - 1; i-- > 0;)
      sum = add(mul(sum, r), real(kCoefficients[i]));
    return add(add(mul(mul(sum, r), r), r), real(1));
  }

  Value integerIn(Value shifted) {
    Value bits = b_.create<arith::BitcastOp>(b_.getI32Type(), shifted);
    Value rounder = b_.create<arith::BitcastOp>(b_.getI32Type(), real(kRounder));
    return b_.create<arith::SubIOp>(bits, rounder);
  }

  /// 2^n of an exponent that a float has.
  Value powerOfTwo(Value n) {
    Value exponent = b_.create<arith::AddIOp>(n, integer(kExponentBias));
    Value bits = b_.create<arith::ShLIOp>(exponent, integer(kFractionBits));
    return b_.create<arith::BitcastOp>(b_.getF32Type(), bits);
  }

  /// value * 2^n in two steps: the factor of one might have no exponent.
  Value scaled(Value value, Value n) {
    Value half = b_.create<arith::ShRSIOp>(n, integer(1));
    Value rest = b_.create<arith::SubIOp>(n, half);
    return mul(mul(value, powerOfTwo(half)), powerOfTwo(rest));
  }

  ImplicitLocOpBuilder b_;
};

class ExpandExpPass : public impl::HostExpandExpPassBase<ExpandExpPass> {
 public:
  void runOnOperation() override {
    SmallVector<math::ExpOp> ops;
    getOperation().walk([&](math::ExpOp op) {
      if (op.getType().isF32()) ops.push_back(op);
    });
    for (math::ExpOp op : ops) {
      OpBuilder builder(op);
      op.replaceAllUsesWith(ExpBuilder(op.getLoc(), builder).build(op.getOperand()));
      op.erase();
    }
  }
};

}  // namespace
}  // namespace vta::codegen
