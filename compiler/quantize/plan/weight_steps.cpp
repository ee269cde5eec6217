#include "compiler/quantize/plan/weight_steps.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/integer_math.h"
#include "compiler/quantize/plan/requantize.h"

namespace vta::compiler {
namespace {

// The largest odd number by which a narrow weight stays within 8 bits.
int32_t largestStep(const WeightRange& narrow) {
  const int32_t most = WeightRange().most / narrow.most;
  return most - (most % 2 == 0 ? 1 : 0);
}

// The least odd number that is at least `value`.
int32_t oddFrom(double value) { return static_cast<int32_t>(std::ceil(value)) | 1; }

struct Group {
  int64_t channel = 0, begin = 0, end = 0;  // weights of the channel's filter
};

double squareError(const std::vector<float>& weights, const FilterLayout& layout,
                   const Group& group, double scale, int32_t step, const WeightRange& narrow) {
  double sum = 0;
  for (int64_t i = group.begin; i < group.end; ++i) {
    const double value = weights[static_cast<size_t>(layout.index(group.channel, i))] / scale;
    const double error = value - roundToStep(value, step, narrow);
    sum += error * error;
  }
  return sum;
}

double largestOf(const std::vector<float>& weights, const FilterLayout& layout,
                 const Group& group) {
  double largest = 0;
  for (int64_t i = group.begin; i < group.end; ++i) {
    const float weight = weights[static_cast<size_t>(layout.index(group.channel, i))];
    largest = std::max(largest, std::abs(static_cast<double>(weight)));
  }
  return largest;
}

// Below this share of the step with which the largest weight fits, saturation costs more than finer
// steps win.
constexpr int kLeastShare = 4;

// A step and the square error that it gives, in units of the scale.
struct Choice {
  int32_t step = 1;
  double error = std::numeric_limits<double>::infinity();
};

Choice bestStep(const std::vector<float>& weights, const FilterLayout& layout, const Group& group,
                double scale, const WeightRange& narrow) {
  const double whole = largestOf(weights, layout, group) / scale / narrow.most;
  const int32_t most = std::min(oddFrom(whole), largestStep(narrow));
  Choice best;
  for (int32_t step = most; step >= 1 && kLeastShare * step >= most; step -= 2) {
    const double error = squareError(weights, layout, group, scale, step, narrow);
    if (error < best.error) best = {step, error};
  }
  return best;
}

// Calls visit(group) for the groups of a channel.
template <typename Visit>
void forEachGroup(const FilterLayout& layout, int64_t channel, int64_t terms, const Visit& visit) {
  for (int64_t begin = 0; begin < layout.inner; begin += terms) {
    visit(Group{channel, begin, std::min(begin + terms, layout.inner)});
  }
}

}  // namespace

WeightRange steppedRange(const WeightRange& narrow) {
  const int32_t most = narrow.most * largestStep(narrow);
  return {-most, most};
}

double roundToStep(double value, int32_t step, const WeightRange& narrow) {
  // A narrow weight of -8 with the largest step does not fit 8 bits.
  const double least = std::max<double>(narrow.least, std::ceil(1.0 * WeightRange().least / step));
  return step * std::clamp<double>(std::round(value / step), least, narrow.most);
}

std::vector<double> steppedReach(const std::vector<float>& weights, const FilterLayout& layout,
                                 int64_t terms, const WeightRange& narrow) {
  constexpr int kCandidates = 16;
  const int32_t most = steppedRange(narrow).most;
  std::vector<double> best = channelMaxima(weights, layout);
  for (int64_t channel = 0; channel < layout.channels; ++channel) {
    const double maximum = best[static_cast<size_t>(channel)];
    double least = std::numeric_limits<double>::infinity();
    for (int candidate = kCandidates; maximum > 0 && 2 * candidate > kCandidates; --candidate) {
      const double reach = maximum * candidate / kCandidates, scale = reach / most;
      double error = 0;
      forEachGroup(layout, channel, terms, [&](const Group& group) {
        error += bestStep(weights, layout, group, scale, narrow).error * scale * scale;
      });
      if (error >= least) continue;
      least = error;
      best[static_cast<size_t>(channel)] = reach;
    }
  }
  return best;
}

WeightSteps chooseWeightSteps(const std::vector<float>& weights, const FilterLayout& layout,
                              const std::vector<double>& scales, int64_t terms,
                              const WeightRange& narrow) {
  WeightSteps steps;
  steps.terms = terms;
  steps.groups = ceilDiv(layout.inner, terms);
  steps.of_group.reserve(static_cast<size_t>(layout.channels * steps.groups));
  for (int64_t channel = 0; channel < layout.channels; ++channel) {
    forEachGroup(layout, channel, terms, [&](const Group& group) {
      const double scale = scales[static_cast<size_t>(channel)];
      steps.of_group.push_back(bestStep(weights, layout, group, scale, narrow).step);
    });
  }
  return steps;
}

}  // namespace vta::compiler
