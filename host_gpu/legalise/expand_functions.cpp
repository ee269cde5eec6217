// gpu-expand-functions: functions of f32 that MLIR's expansions compute for a part of all numbers
// only.
#include <limits>
#include <numbers>

#include "host_gpu/legalise/float_builder.h"
#include "host_gpu/legalise/passes.h"
#include "host_gpu/legalise/trigonometric.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace vta::codegen {

#define GEN_PASS_DEF_GPUEXPANDFUNCTIONSPASS
#include "host_gpu/legalise/passes.h.inc"

namespace {

using namespace mlir;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// Beyond it, x^2 + 1 and x^2 - 1 are x^2 for a float.
constexpr float kSquareAlone = 4096;
/// Below it, neither exp(x) nor exp(-x) overflows.
constexpr float kLargestExponent = 88;

/// base^exponent, as the C library defines it: 1 for an exponent of 0 and for a base of 1, also for
/// -1 to an infinite one; NaN for a fraction as the exponent of a finite negative base.
Value power(FloatBuilder& b, Value base, Value exponent) {
  Value logarithm = b.create<math::LogOp>(b.abs(base));
  Value size = b.create<math::ExpOp>(b.mul(exponent, logarithm));
  Value is_whole = b.isWhole(exponent);
  Value is_odd = b.both(is_whole, b.isNot(b.isWhole(b.mul(exponent, b.real(0.5F)))));
  // Also of the negative zero.
  Value has_sign = b.less(b.create<math::CopySignOp>(b.real(1), base), b.real(0));
  Value result = b.choose(b.both(has_sign, is_odd), b.neg(size), size);
  Value is_finite_negative = b.both(b.less(base, b.real(0)), b.less(b.real(-kInfinity), base));
  result = b.choose(b.both(is_finite_negative, b.isNot(is_whole)), b.real(kNan), result);
  Value is_one = b.either(b.equal(exponent, b.real(0)), b.equal(base, b.real(1)));
  Value is_limit = b.both(b.equal(base, b.real(-1)), b.equal(b.abs(exponent), b.real(kInfinity)));
  return b.choose(b.either(is_one, is_limit), b.real(1), result);
}

/// Of numbers below the least normal one, too, where a device has these.
Value logarithm(FloatBuilder& b, Value x) {
  constexpr float kSmall = 0x1p-100F, kScale = 0x1p64F;
  constexpr float kLogOfScale = 64 * std::numbers::ln2_v<float>;
  Value is_small = b.less(x, b.real(kSmall));
  Value scaled = b.create<math::LogOp>(b.choose(is_small, b.mul(x, b.real(kScale)), x));
  return b.choose(is_small, b.sub(scaled, b.real(kLogOfScale)), scaled);
}

/// log(x + root) for large x, where the root is as large as x.
Value logarithmOfTwice(FloatBuilder& b, Value x) {
  return b.add(b.create<math::LogOp>(x), b.real(std::numbers::ln2_v<float>));
}

/// sign(x) log(|x| + sqrt(x^2 + 1)), by log1p, which loses nothing near 0.
Value areaSine(FloatBuilder& b, Value x) {
  Value size = b.abs(x);
  Value square = b.mul(size, size);
  Value root = b.create<math::SqrtOp>(b.add(square, b.real(1)));
  Value inner = b.add(size, b.div(square, b.add(b.real(1), root)));
  Value is_large = b.less(b.real(kSquareAlone), size);
  Value result = b.choose(is_large, logarithmOfTwice(b, size), b.create<math::Log1pOp>(inner));
  return b.create<math::CopySignOp>(result, x);
}

/// log(x + sqrt(x^2 - 1)) with t = x - 1, which loses nothing near 1; NaN below 1.
Value areaCosine(FloatBuilder& b, Value x) {
  Value t = b.sub(x, b.real(1));
  Value root = b.create<math::SqrtOp>(b.mul(t, b.add(t, b.real(2))));
  Value near = b.create<math::Log1pOp>(b.add(t, root));
  Value result = b.choose(b.less(b.real(kSquareAlone), x), logarithmOfTwice(b, x), near);
  return b.choose(b.less(x, b.real(1)), b.real(kNan), result);
}

/// exp(size) / 2 where exp(size) may be more than a float.
Value halfOfExponential(FloatBuilder& b, Value size) {
  Value root = b.create<math::ExpOp>(b.mul(size, b.real(0.5F)));
  return b.mul(b.mul(root, b.real(0.5F)), root);
}

/// By e = exp(|x|) - 1, which loses nothing near 0: (e + e / (e + 1)) / 2.
Value hyperbolicSine(FloatBuilder& b, Value x) {
  Value size = b.abs(x);
  Value e = b.create<math::ExpM1Op>(size);
  Value near = b.mul(b.real(0.5F), b.add(e, b.div(e, b.add(e, b.real(1)))));
  Value is_large = b.less(b.real(kLargestExponent), size);
  return b.create<math::CopySignOp>(b.choose(is_large, halfOfExponential(b, size), near), x);
}

Value hyperbolicCosine(FloatBuilder& b, Value x) {
  Value size = b.abs(x);
  Value e = b.create<math::ExpOp>(size);
  Value near = b.mul(b.real(0.5F), b.add(e, b.div(b.real(1), e)));
  Value is_large = b.less(b.real(kLargestExponent), size);
  return b.choose(is_large, halfOfExponential(b, size), near);
}

/// The value of `op`; null for what stays.
Value expanded(FloatBuilder& b, Operation* op) {
  Value x = op->getOperand(0);
  if (isa<math::PowFOp>(op)) return power(b, x, op->getOperand(1));
  if (isa<math::SinOp>(op)) return sine(b, x);
  if (isa<math::CosOp>(op)) return cosine(b, x);
  if (isa<math::TanOp>(op)) return b.div(sine(b, x), cosine(b, x));
  if (isa<math::SinhOp>(op)) return hyperbolicSine(b, x);
  if (isa<math::CoshOp>(op)) return hyperbolicCosine(b, x);
  if (isa<math::AsinhOp>(op)) return areaSine(b, x);
  if (isa<math::AcoshOp>(op)) return areaCosine(b, x);
  if (isa<math::LogOp>(op)) return logarithm(b, x);
  return {};
}

class GpuExpandFunctionsPass : public impl::GpuExpandFunctionsPassBase<GpuExpandFunctionsPass> {
 public:
  void runOnOperation() override {
    SmallVector<Operation*> ops;
    getOperation()->walk([&](Operation* op) {
      if (isa_and_nonnull<math::MathDialect>(op->getDialect()) &&
          op->getResult(0).getType().isF32()) {
        ops.push_back(op);
      }
    });
    for (Operation* op : ops) {
      FloatBuilder b(op);
      if (const Value value = expanded(b, op)) {
        op->getResult(0).replaceAllUsesWith(value);
        op->erase();
      }
    }
  }
};

}  // namespace
}  // namespace vta::codegen
