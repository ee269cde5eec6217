// Channel equalisation: what makes narrow networks survive one scale per tensor.
#pragma once

#include <vector>

#include "compiler/quantize/plan/plan.h"

namespace vta::compiler {

/// What calibration saw in each channel (axis 1) of one activation.
struct ChannelStats {
  std::vector<double> max_abs;
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

/// The contractions between which the channels of `value` may change: the one that produces it,
/// null where anything else does or a residual would have to change with it, and those that read
/// it, none where anything else does. Weights of a quantised model may not change.
struct ScalableEnds {
  const QuantNode* producer = nullptr;
  llvm::SmallVector<const QuantNode*> consumers;
};

ScalableEnds scalableEnds(const QuantPlan& plan, mlir::Value value);

/// Which input channel a weight of a contraction multiplies. Computed, because a list of them would
/// take several times the memory of the weights.
struct InputChannels {
  int64_t repeats = 1;        // weights in a row with the same input channel
  int64_t per_group = 1;      // input channels
  int64_t group_weights = 1;  // weights

  /// Of weight `index` in the order of the constant: OIHW with groups, or [K, N].
  int64_t of(int64_t index) const {
    return index / group_weights * per_group + index / repeats % per_group;
  }
};

InputChannels inputChannels(const QuantNode& node);

}  // namespace vta::compiler
