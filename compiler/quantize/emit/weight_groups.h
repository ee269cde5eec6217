// Which weights of a contraction share a step (compiler/quantize/plan/weight_steps.h).
#pragma once

#include <cstdint>

#include "compiler/quantize/plan/plan.h"
#include "isa/config/hw_config.h"

namespace vta::compiler {

/// Weights of a filter in a row, in the order of the layer's constant, that share a step on `hw`; 0
/// where none do: weights of 8 bits, or fewer input channels than a group has. A group consists of
/// `channels` input channels, rounded up to whole blocks, so that the accelerator multiplies sums
/// of whole blocks. With kAutomaticGroup it is the smallest with which the multiplications take up
/// to an eighth of the time of the products.
///
/// Channels that other layers have sliced, shuffled or joined within blocks may come in another
/// order than the model's. Layers that read them have no groups.
int64_t termsOfWeightGroup(const QuantPlan& plan, const QuantNode& node, const HwParams& hw,
                           int64_t channels);

}  // namespace vta::compiler
