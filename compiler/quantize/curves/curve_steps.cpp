#include "compiler/quantize/curves/curve_steps.h"

#include <algorithm>
#include <limits>

#include "compiler/quantize/plan/alu_arithmetic.h"

namespace vta::compiler {
namespace {

int64_t apply(const CurveStep& step, int64_t x, int64_t side) {
  switch (step.kind) {
    case CurveStep::Kind::kAdd:
      return x + step.value;
    case CurveStep::Kind::kMul:
      return x * step.value;
    case CurveStep::Kind::kMin:
      return std::min<int64_t>(x, step.value);
    case CurveStep::Kind::kMax:
      return std::max<int64_t>(x, step.value);
    case CurveStep::Kind::kClip:
      return std::clamp<int64_t>(x, step.value, step.upper);
    case CurveStep::Kind::kShr:
      return x >> step.shift;
    case CurveStep::Kind::kQmul:
      return qmul(x, step.value, step.shift);
    case CurveStep::Kind::kSquare:
      return x * x;
    case CurveStep::Kind::kAddSide:
      return x + side;
  }
  return x;
}

std::optional<int64_t> run(const std::vector<CurveStep>& steps, size_t count, int64_t x,
                           int64_t side) {
  for (size_t i = 0; i < count; ++i) {
    x = apply(steps[i], x, side);
    if (x < std::numeric_limits<int32_t>::min() || x > std::numeric_limits<int32_t>::max()) {
      return std::nullopt;
    }
  }
  return x;
}

}  // namespace

std::optional<int64_t> runCurve(const CurveSteps& steps, int64_t input, size_t omitted) {
  const std::optional<int64_t> side = run(steps.side, steps.side.size(), input, 0);
  if (!side) return std::nullopt;
  return run(steps.main, steps.main.size() - omitted, input, *side);
}

std::optional<int64_t> curveResult(const CurveSteps& steps, int64_t input) {
  const std::optional<int64_t> value = runCurve(steps, input);
  if (!value) return std::nullopt;
  return std::clamp(*value, steps.clip.lo, steps.clip.hi);
}

}  // namespace vta::compiler
