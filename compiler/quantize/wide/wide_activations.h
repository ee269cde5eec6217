// Which activations can keep more than 8 bits. docs/quantisation.md, "Wide activations".
#pragma once

#include <vector>

#include "compiler/quantize/plan/plan.h"

namespace vta::compiler {

/// Activations that can be wide together only: concatenations and what they join.
struct WideCandidate {
  std::vector<int> activations;  // by index in the plan, in its order
  std::vector<const QuantNode*> producers;
};

/// All candidates of a float model: results of convolutions without a residual that nothing but
/// convolutions reads, directly or through concatenations of channels.
std::vector<WideCandidate> wideCandidates(const QuantPlan& plan);

}  // namespace vta::compiler
