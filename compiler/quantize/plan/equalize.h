// Channel equalisation and bias correction: what makes narrow networks survive one scale per
// tensor.
#pragma once

#include <vector>

#include "compiler/quantize/plan/plan.h"

namespace vta::compiler {

/// What calibration saw in each channel (axis 1) of one activation.
struct ChannelStats {
  std::vector<double> max_abs;
  std::vector<double> mean;
};

/// For every activation of the plan, the factor by which each of its channels is multiplied before
/// quantisation; empty where channels stay as they are. A channel is enlarged towards the range of
/// the largest, so that it uses more of the tensor's integers; its producer's weights and bias are
/// multiplied and its consumers' weights divided by the same factor, which changes nothing in
/// float. Possible where contractions alone produce and consume an activation. After Nagel et al.,
/// "Data-Free Quantization Through Weight Equalization and Bias Correction" (ICCV 2019), with
/// measured ranges in place of weight ranges.
std::vector<std::vector<float>> equalizeChannels(const QuantPlan& plan,
                                                 const std::vector<ChannelStats>& stats);

/// Input channel of every weight of a contraction, in the order of its constant: OIHW with groups,
/// or [K, N].
std::vector<int64_t> inputChannels(const QuantNode& node);

/// The expected error that rounding its weights causes in each output channel of a contraction, per
/// unit scale: sum over the weights of (real - rounded) * mean(input channel). `real` and `rounded`
/// are weights in the constant's order, `out_channel(i)` as WeightLayout says.
std::vector<double> expectedWeightError(const std::vector<float>& real,
                                        const std::vector<double>& rounded,
                                        const std::vector<int64_t>& input_channels,
                                        const std::vector<double>& input_means, int64_t channels,
                                        bool channel_major);

}  // namespace vta::compiler
