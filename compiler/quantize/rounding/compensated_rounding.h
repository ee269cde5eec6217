// Rounds weights so that a layer's outputs change least on the calibration data.
#pragma once

#include <vector>

#include "compiler/quantize/plan/requantize.h"
#include "compiler/quantize/rounding/input_moments.h"

namespace vta::compiler {

/// Rounds the weights of `quantized` again, with the same scales. One weight of a filter is rounded
/// after the other, and each takes up what the errors of those before it do to the output: the
/// sequential rounding of Frantar et al., "GPTQ" (ICLR 2023). Errors that shift the mean alone do
/// not count; weightErrorInMean says what the bias has to make up for. Where the inputs are known
/// from few columns, or hardly vary, the result moves towards rounding to nearest. Filters for
/// which rounding to nearest is as good keep it, and weights that are integers already stay.
///
/// `moments` are those of the inputs that `weights` multiply; channels are spread over its groups
/// in order, and its terms are the weights of a filter in order.
void compensateRounding(const std::vector<float>& weights, const FilterLayout& layout,
                        const InputMoments& moments, const WeightRange& range,
                        QuantizedWeights& quantized);

/// For each channel, the sum over its weights of (real - rounded) * mean(input).
std::vector<double> weightErrorInMean(const std::vector<float>& weights, const FilterLayout& layout,
                                      const InputMoments& moments,
                                      const QuantizedWeights& quantized);

}  // namespace vta::compiler
