// Steps of weights: integers of 8 bits that are multiples of a step, so that hardware with narrow
// weights can hold them (compiler/kernel/weights/weight_factors.h). Plain arithmetic, no MLIR.
// docs/quantisation.md, "Narrow weights".
#pragma once

#include <cstdint>
#include <vector>

#include "isa/spec/narrow_weights.h"

namespace vta::compiler {

struct FilterLayout;

/// The steps of a contraction's weights. Without any, each is 1.
struct WeightSteps {
  int64_t terms = 0;              // weights of a filter in a row that share a step; 0: no steps
  int64_t groups = 0;             // such rows of a filter; the last one may be shorter
  std::vector<int32_t> of_group;  // [channel][group], odd

  bool empty() const { return terms == 0; }
  /// Of weight `i` of a filter.
  int32_t at(int64_t channel, int64_t i) const {
    return empty() ? 1 : of_group[static_cast<size_t>(channel * groups + i / terms)];
  }
};

/// The integers that weights with steps reach on both sides of 0: the largest narrow weight times
/// the largest odd step with which it fits 8 bits.
WeightRange steppedRange(const WeightRange& narrow);

/// `value`, in units of a channel's scale, to the nearest multiple of `step` that is a narrow
/// weight times `step`.
double roundToStep(double value, int32_t step, const WeightRange& narrow);

/// How far the largest integer of steppedRange is to reach in each channel: as far as gives
/// the least square error with the best steps.
std::vector<double> steppedReach(const std::vector<float>& weights, const FilterLayout& layout,
                                 int64_t terms, const WeightRange& narrow);

/// For every `terms` weights of a filter the step with the least square error, where weights beyond
/// the largest multiple saturate. `scales` are those of the channels.
WeightSteps chooseWeightSteps(const std::vector<float>& weights, const FilterLayout& layout,
                              const std::vector<double>& scales, int64_t terms,
                              const WeightRange& narrow);

}  // namespace vta::compiler
