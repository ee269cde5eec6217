#include <limits>

#include "host_gpu/legalise/expansions.h"
#include "host_gpu/legalise/float_builder.h"

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
  explicit ArcBuilder(FloatBuilder& b) : b_(b) {}

  /// asin(x) = pi / 2 - 2 asin(sqrt((1 - x) / 2)) beyond 0.5.
  Value arcSine(Value x) {
    const Parts parts = partsOf(x);
    Value far = b_.sub(b_.real(kHalfPi), b_.add(parts.arc, parts.arc));
    Value arc = b_.choose(parts.is_far, far, parts.arc);
    return checked(x, b_.create<math::CopySignOp>(arc, x));
  }

  /// acos(x) = 2 asin(sqrt((1 - x) / 2)) beyond 0.5, and what is missing to pi beyond -0.5.
  Value arcCosine(Value x) {
    const Parts parts = partsOf(x);
    Value is_negative = b_.less(x, b_.real(0));
    Value twice = b_.add(parts.arc, parts.arc);
    Value far = b_.choose(is_negative, b_.sub(b_.real(kPi), twice), twice);
    Value near = b_.sub(b_.real(kHalfPi), b_.create<math::CopySignOp>(parts.arc, x));
    return checked(x, b_.choose(parts.is_far, far, near));
  }

 private:
  struct Parts {
    Value is_far;  // |x| > 0.5
    Value arc;     // asin(|x|), or asin(sqrt((1 - |x|) / 2)) if it is far
  };

  Parts partsOf(Value x) {
    Value size = b_.abs(x);
    Value is_far = b_.less(b_.real(0.5F), size);
    Value half = b_.mul(b_.sub(b_.real(1), size), b_.real(0.5F));
    // Where |x| is above 1, checked() has the result. The root of a negative number is not asked.
    Value inside = b_.choose(b_.less(half, b_.real(0)), b_.real(0), half);
    Value square = b_.choose(is_far, inside, b_.mul(size, size));
    Value root = b_.choose(is_far, b_.create<math::SqrtOp>(inside), size);
    Value sum = b_.real(kArcCoefficients[0]);
    for (const float coefficient : ArrayRef(kArcCoefficients).drop_front()) {
      sum = b_.add(b_.mul(sum, square), b_.real(coefficient));
    }
    return {is_far, b_.add(b_.mul(b_.mul(sum, square), root), root)};
  }

  /// NaN where x has no arc.
  Value checked(Value x, Value arc) {
    Value is_inside = b_.atMost(b_.abs(x), b_.real(1));
    return b_.choose(is_inside, arc, b_.real(std::numeric_limits<float>::quiet_NaN()));
  }

  FloatBuilder& b_;
};

}  // namespace

void expandArcs(ModuleOp module) {
  module.walk([](Operation* op) {
    if (!isa<math::AsinOp, math::AcosOp>(op) || !op->getResult(0).getType().isF32()) return;
    FloatBuilder b(op);
    ArcBuilder arcs(b);
    Value x = op->getOperand(0);
    op->replaceAllUsesWith(ValueRange{isa<math::AsinOp>(op) ? arcs.arcSine(x) : arcs.arcCosine(x)});
    op->erase();
  });
}

}  // namespace vta::codegen
