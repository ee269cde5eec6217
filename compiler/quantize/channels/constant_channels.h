// Channels that hold one number whatever the input are left out of the network.
#pragma once

#include <vector>

#include "compiler/quantize/plan/plan.h"
#include "isa/config/hw_config.h"

namespace vta::compiler {

/// Removes, from the float graph of `plan`, channels that weights, biases and clips make constant:
/// most are those of filters that training has switched off, behind a relu. Consumers get what such
/// a channel adds in their biases; a constant other than zero stays where pads are zero. Possible
/// where contractions alone produce and consume an activation, and done where the channels that
/// remain fill fewer blocks of `hw`, or leave room for wide activations. `input_reach` is that of
/// channelBounds. Returns how many channels of activations went; if any did, `plan` is no longer
/// one of the graph.
int64_t leaveOutConstantChannels(const QuantPlan& plan, const std::vector<double>& input_reach,
                                 const HwConfig& hw);

}  // namespace vta::compiler
