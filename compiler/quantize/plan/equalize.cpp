#include "compiler/quantize/plan/equalize.h"

#include <algorithm>
#include <cmath>

#include "compiler/dialects/graph/graph.h"

namespace vta::compiler {
namespace {

using Kind = QuantNode::Kind;

// A channel that is all but silent is not enlarged beyond this: its statistics mean little.
constexpr double kMaxFactor = 64;

// Inputs that calibration has not seen go this far beyond those that it has. Without it, channels
// that are enlarged to the full range would be cut off there.
constexpr double kMarginOfEnlarged = 1.25;

// Whether the weights of a contraction may take a factor.
bool isScalable(const QuantNode& node) {
  return (node.kind == Kind::kConv || node.kind == Kind::kMatMul) && !node.keeps_weights;
}

bool isDepthwise(const QuantNode& node) {
  auto conv = mlir::dyn_cast<graph::ConvOp>(node.anchor);
  return conv && conv.getWeight().getType().getDimSize(1) == 1;
}

// The contraction that produces `value` alone and whose weights may change, or null. A residual
// would have to be scaled with it.
const QuantNode* producerOf(const QuantPlan& plan, mlir::Value value) {
  const auto found =
      llvm::find_if(plan.nodes, [&](const QuantNode& node) { return node.output == value; });
  if (found == plan.nodes.end() || !isScalable(*found) || found->residual) return nullptr;
  return &*found;
}

// The contractions that read `value` and whose weights may change; empty if anything else does.
llvm::SmallVector<const QuantNode*> consumersOf(const QuantPlan& plan, mlir::Value value) {
  llvm::SmallVector<const QuantNode*> consumers;
  for (mlir::Operation* user : value.getUsers()) {
    const auto found =
        llvm::find_if(plan.nodes, [&](const QuantNode& node) { return node.anchor == user; });
    if (found == plan.nodes.end() || !isScalable(*found)) return {};
    consumers.push_back(&*found);
  }
  return consumers;
}

}  // namespace

std::vector<std::vector<float>> equalizeChannels(const QuantPlan& plan,
                                                 const std::vector<ChannelStats>& stats) {
  std::vector<std::vector<float>> factors(plan.activations.size());
  for (size_t i = 0; i < factors.size(); ++i) {
    const auto [producer, consumers] = scalableEnds(plan, plan.activations[i]);
    if (consumers.empty() || producer == nullptr) continue;
    // A depthwise consumer has a weight scale for each input channel, so that full equalisation
    // costs it nothing; elsewhere the weights pay, and the square root balances both sides.
    const double exponent =
        llvm::all_of(consumers, [](const QuantNode* node) { return isDepthwise(*node); }) ? 1.0
                                                                                          : 0.5;
    const std::vector<double>& channels = stats[i].max_abs;
    const double largest = *std::max_element(channels.begin(), channels.end());
    for (double channel : channels) {
      const double margin = exponent == 1.0 ? kMarginOfEnlarged : 1.0;
      const double ratio = channel > 0 ? largest / (channel * margin) : 1.0;
      factors[i].push_back(
          static_cast<float>(std::pow(std::clamp(ratio, 1.0, kMaxFactor), exponent)));
    }
  }
  return factors;
}

ScalableEnds scalableEnds(const QuantPlan& plan, mlir::Value value) {
  return {producerOf(plan, value), consumersOf(plan, value)};
}

InputChannels inputChannels(const QuantNode& node) {
  const auto type = mlir::cast<mlir::RankedTensorType>(node.anchor->getOperand(1).getType());
  auto conv = mlir::dyn_cast<graph::ConvOp>(node.anchor);
  if (!conv) return {type.getDimSize(1), type.getDimSize(0), type.getNumElements()};
  return {type.getDimSize(2) * type.getDimSize(3), type.getDimSize(1),
          type.getNumElements() / static_cast<int64_t>(conv.getGroup())};
}

}  // namespace vta::compiler
