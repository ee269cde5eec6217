// Between which values each channel of an activation lies, whatever the input.
#pragma once

#include <vector>

#include "compiler/quantize/plan/plan.h"

namespace vta::compiler {

/// The least and the largest value of every channel (axis 1) of one activation. Infinite where
/// nothing is known.
struct ChannelBounds {
  std::vector<double> least, most;
};

/// Of every activation of the plan, what follows from weights, biases and clips if no element of an
/// input of @main lies further from zero than `input_reach` says, by the input's position
/// (infinity: nothing is known). In real arithmetic.
std::vector<ChannelBounds> channelBounds(const QuantPlan& plan,
                                         const std::vector<double>& input_reach);

}  // namespace vta::compiler
