#include <limits>

#include "host_gpu/legalise/expansions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace vta::codegen {
namespace {

using namespace mlir;

// asin(s) / s - 1, divided by z = s * s, for |s| <= 0.5: the coefficients of asinf in the Cephes
// Mathematical Library (Stephen L. Moshier). The relative error is below 2.5e-7.
constexpr float kArcCoefficients[] = {4.2163199048e-2F, 2.4181311049e-2F, 4.5470025998e-2F,
                                      7.4953002686e-2F, 1.6666752422e-1F};
constexpr float kHalfPi = 1.57079632679489661923F, kPi = 3.14159265358979323846F;

/// Emits the steps for one arc.
class ArcBuilder {
 public:
  ArcBuilder(Location loc, OpBuilder& builder) : b_(loc, builder) {}

  /// asin(x) = pi / 2 - 2 asin(sqrt((1 - x) / 2)) beyond 0.5.
  Value arcSine(Value x) {
    const Parts parts = partsOf(x);
    Value far = sub(real(kHalfPi), add(parts.arc, parts.arc));
    Value arc = choose(parts.is_far, far, parts.arc);
    return checked(x, b_.create<math::CopySignOp>(arc, x));
  }

  /// acos(x) = 2 asin(sqrt((1 - x) / 2)) beyond 0.5, and what is missing to pi beyond -0.5.
  Value arcCosine(Value x) {
    const Parts parts = partsOf(x);
    Value is_negative = compare(arith::CmpFPredicate::OLT, x, real(0));
    Value twice = add(parts.arc, parts.arc);
    Value far = choose(is_negative, sub(real(kPi), twice), twice);
    Value near = sub(real(kHalfPi), b_.create<math::CopySignOp>(parts.arc, x));
    return checked(x, choose(parts.is_far, far, near));
  }

 private:
  struct Parts {
    Value is_far;  // |x| > 0.5
    Value arc;     // asin(|x|), or asin(sqrt((1 - |x|) / 2)) if it is far
  };

  Parts partsOf(Value x) {
    Value size = b_.create<math::AbsFOp>(x);
    Value is_far = compare(arith::CmpFPredicate::OGT, size, real(0.5F));
    Value half = mul(sub(real(1), size), real(0.5F));
    // Where |x| is above 1, checked() has the result. The root of a negative number is not asked.
    Value inside = choose(compare(arith::CmpFPredicate::OLT, half, real(0)), real(0), half);
    Value square = choose(is_far, inside, mul(size, size));
    Value root = choose(is_far, b_.create<math::SqrtOp>(inside), size);
    Value sum = real(kArcCoefficients[0]);
    for (const float coefficient : ArrayRef(kArcCoefficients).drop_front()) {
      sum = add(mul(sum, square), real(coefficient));
    }
    return {is_far, add(mul(mul(sum, square), root), root)};
  }

  /// NaN where x has no arc.
  Value checked(Value x, Value arc) {
    Value is_inside = compare(arith::CmpFPredicate::OLE, b_.create<math::AbsFOp>(x), real(1));
    return choose(is_inside, arc, real(std::numeric_limits<float>::quiet_NaN()));
  }

  Value real(float value) {
    return b_.create<arith::ConstantFloatOp>(APFloat(value), b_.getF32Type());
  }
  Value add(Value x, Value y) { return b_.create<arith::AddFOp>(x, y); }
  Value sub(Value x, Value y) { return b_.create<arith::SubFOp>(x, y); }
  Value mul(Value x, Value y) { return b_.create<arith::MulFOp>(x, y); }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return b_.create<arith::CmpFOp>(predicate, x, y);
  }
  Value choose(Value condition, Value x, Value y) {
    return b_.create<arith::SelectOp>(condition, x, y);
  }

  ImplicitLocOpBuilder b_;
};

}  // namespace

void expandArcs(ModuleOp module) {
  module.walk([](Operation* op) {
    if (!isa<math::AsinOp, math::AcosOp>(op) || !op->getResult(0).getType().isF32()) return;
    OpBuilder builder(op);
    ArcBuilder arcs(op->getLoc(), builder);
    Value x = op->getOperand(0);
    op->replaceAllUsesWith(ValueRange{isa<math::AsinOp>(op) ? arcs.arcSine(x) : arcs.arcCosine(x)});
    op->erase();
  });
}

}  // namespace vta::codegen
