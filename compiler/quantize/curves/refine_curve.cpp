#include "compiler/quantize/curves/refine_curve.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

namespace vta::compiler {
namespace {

using Kind = CurveStep::Kind;

/// How bad the steps are: squares of errors in front of the last rounding, and much more for errors
/// that may move a result by a step.
class CurveCost {
 public:
  explicit CurveCost(const CurveFunction& function) : f_(function) {}

  std::optional<double> of(const CurveSteps& steps) const {
    constexpr double kTolerated = 0.3, kPenalty = 20;
    const CurveStep& last = steps.main.back();
    double cost = 0;
    for (int64_t x = kLeastCurveInput; x <= kMostCurveInput; ++x) {
      const std::optional<int64_t> value = runCurve(steps, x, 1);
      if (!value) return std::nullopt;
      const double exact = f_.values[static_cast<size_t>(x - kLeastCurveInput)];
      const double result =
          std::ldexp(static_cast<double>(*value) * static_cast<double>(last.value), -last.shift);
      if (std::abs(result) > INT32_MAX) return std::nullopt;
      const bool saturates = (exact > kMostCurveInput && result > kMostCurveInput) ||
                             (exact < kLeastCurveInput && result < kLeastCurveInput);
      if (saturates) continue;
      const double error = std::abs(result - exact);
      const double excess = std::max(error - kTolerated, 0.0);
      const double weight = weightOf(static_cast<size_t>(x - kLeastCurveInput));
      cost += weight * error * error + kPenalty * excess * excess;
    }
    return cost;
  }

 private:
  /// 1 on average: half for every input alike, half for each as often as it occurs.
  double weightOf(size_t input) const {
    if (f_.shares.empty()) return 1;
    return 0.5 + 0.5 * f_.shares[input] * static_cast<double>(f_.values.size());
  }

  const CurveFunction& f_;
};

}  // namespace

bool refineCurve(const CurveFunction& function, int multiplier_bits, CurveSteps& steps) {
  const CurveCost cost(function);
  std::optional<double> least = cost.of(steps);
  if (!least) return false;
  // The last multiplier is the slope of lines, and stays.
  std::vector<CurveStep*> constants;
  for (std::vector<CurveStep>* chain : {&steps.main, &steps.side}) {
    for (CurveStep& step : *chain) {
      const bool is_last = chain == &steps.main && &step == &steps.main.back();
      if (step.kind == Kind::kAdd || (step.kind == Kind::kQmul && !is_last)) {
        constants.push_back(&step);
      }
    }
  }
  const int64_t limit = int64_t{1} << (multiplier_bits - 1);
  constexpr int kRounds = 12;
  for (int64_t share = 64; share <= int64_t{1} << 20; share *= 8) {
    bool is_finest = true;
    for (int round = 0; round < kRounds; ++round) {
      bool improved = false;
      for (CurveStep* constant : constants) {
        const int64_t width = std::max<int64_t>(std::abs(int64_t{constant->value}) / share, 1);
        is_finest = is_finest && width == 1;
        for (const int64_t change : {-width, width}) {
          const int64_t before = constant->value, after = before + change;
          const bool fits = constant->kind == Kind::kQmul ? after >= -limit && after < limit
                                                          : std::abs(after) < INT32_MAX;
          if (!fits) continue;
          constant->value = static_cast<int32_t>(after);
          const std::optional<double> found = cost.of(steps);
          if (found && *found < *least) {
            least = found;
            improved = true;
          } else {
            constant->value = static_cast<int32_t>(before);
          }
        }
      }
      if (!improved) break;
    }
    if (is_finest) break;
  }
  return true;
}

}  // namespace vta::compiler
