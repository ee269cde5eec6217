#include "compiler/quantize/plan/weight_steps.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/quantize/plan/requantize.h"

namespace vta::compiler {
namespace {

// The largest odd number by which a narrow weight stays within 8 bits.
int32_t largestStep(const WeightRange& narrow) {
  const int32_t most = WeightRange().most / narrow.most;
  return most - (most % 2 == 0 ? 1 : 0);
}

// The least odd number that is at least `value`, and the largest one.
int32_t oddFrom(double value) { return static_cast<int32_t>(std::ceil(value)) | 1; }

struct Group {
  int64_t channel = 0, begin = 0, end = 0;  // weights of the channel's filter
};

double squareError(const std::vector<float>& weights, const WeightLayout& layout,
                   const Group& group, double scale, int32_t step, const WeightRange& narrow) {
  double sum = 0;
  for (int64_t i = group.begin; i < group.end; ++i) {
    const double value = weights[static_cast<size_t>(layout.index(group.channel, i))] / scale;
    const double error = value - roundToStep(value, step, narrow);
    sum += error * error;
  }
  return sum;
}

double largestOf(const std::vector<float>& weights, const WeightLayout& layout,
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

// The reach with the least square error, if the group had a scale of its own.
double bestReach(const std::vector<float>& weights, const WeightLayout& layout, const Group& group,
                 const WeightRange& narrow) {
  constexpr int kCandidates = 32;
  const double largest = largestOf(weights, layout, group);
  double best = largest;
  double least = std::numeric_limits<double>::infinity();
  for (int candidate = kCandidates; largest > 0 && kLeastShare * candidate >= kCandidates;
       --candidate) {
    const double reach = largest * candidate / kCandidates;
    const double scale = reach / narrow.most;
    const double error = squareError(weights, layout, group, scale, 1, narrow) * scale * scale;
    if (error >= least) continue;
    least = error;
    best = reach;
  }
  return best;
}

int32_t bestStep(const std::vector<float>& weights, const WeightLayout& layout, const Group& group,
                 double scale, const WeightRange& narrow) {
  const double whole = largestOf(weights, layout, group) / scale / narrow.most;
  const int32_t most = std::min(oddFrom(whole), largestStep(narrow));
  int32_t best = most;
  double least = std::numeric_limits<double>::infinity();
  for (int32_t step = most; step >= 1 && kLeastShare * step >= most; step -= 2) {
    const double error = squareError(weights, layout, group, scale, step, narrow);
    if (error >= least) continue;
    least = error;
    best = step;
  }
  return best;
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

std::vector<double> steppedReach(const std::vector<float>& weights, const WeightLayout& layout,
                                 int64_t terms, const WeightRange& narrow) {
  std::vector<double> reach(static_cast<size_t>(layout.channels));
  for (int64_t channel = 0; channel < layout.channels; ++channel) {
    double& own = reach[static_cast<size_t>(channel)];
    for (int64_t begin = 0; begin < layout.inner; begin += terms) {
      const Group group{channel, begin, std::min(begin + terms, layout.inner)};
      own = std::max(own, bestReach(weights, layout, group, narrow));
    }
  }
  return reach;
}

WeightSteps chooseWeightSteps(const std::vector<float>& weights, const WeightLayout& layout,
                              const std::vector<double>& scales, int64_t terms,
                              const WeightRange& narrow) {
  WeightSteps steps;
  steps.terms = terms;
  steps.groups = (layout.inner + terms - 1) / terms;
  steps.of_group.reserve(static_cast<size_t>(layout.channels * steps.groups));
  for (int64_t channel = 0; channel < layout.channels; ++channel) {
    for (int64_t begin = 0; begin < layout.inner; begin += terms) {
      const Group group{channel, begin, std::min(begin + terms, layout.inner)};
      steps.of_group.push_back(
          bestStep(weights, layout, group, scales[static_cast<size_t>(channel)], narrow));
    }
  }
  return steps;
}

}  // namespace vta::compiler
