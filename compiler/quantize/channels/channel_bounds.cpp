#include "compiler/quantize/channels/channel_bounds.h"

#include <algorithm>
#include <limits>

#include "compiler/dialects/graph/graph.h"
#include "compiler/quantize/plan/equalize.h"

namespace vta::compiler {
namespace {

using Kind = QuantNode::Kind;
using mlir::RankedTensorType;

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

int64_t channelCount(mlir::Value value) {
  const auto type = mlir::cast<RankedTensorType>(value.getType());
  return type.getRank() > 1 ? type.getDimSize(1) : 1;
}

ChannelBounds within(int64_t channels, double reach) {
  const auto size = static_cast<size_t>(channels);
  return {std::vector<double>(size, -reach), std::vector<double>(size, reach)};
}

// Zeros of padding are among the values.
void addZero(ChannelBounds& bounds) {
  for (double& least : bounds.least) least = std::min(least, 0.0);
  for (double& most : bounds.most) most = std::max(most, 0.0);
}

bool hasAny(llvm::ArrayRef<int64_t> pads) {
  return llvm::any_of(pads, [](int64_t pad) { return pad != 0; });
}

// What a contraction and its bias give.
ChannelBounds ofContraction(const QuantNode& node, ChannelBounds in) {
  auto conv = mlir::dyn_cast<graph::ConvOp>(node.anchor);
  if (conv && hasAny(conv.getPads())) addZero(in);
  const std::vector<float> weights = floatConstant(node.anchor->getOperand(1));
  const InputChannels inputs = inputChannels(node);
  const size_t channels = node.bias.size();
  ChannelBounds out{{node.bias.begin(), node.bias.end()}, {node.bias.begin(), node.bias.end()}};
  for (size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;  // times infinity
    const size_t c = conv ? i / (weights.size() / channels) : i % channels;
    const auto from = static_cast<size_t>(inputs.of(static_cast<int64_t>(i)));
    const double low = weights[i] * in.least[from], high = weights[i] * in.most[from];
    out.least[c] += std::min(low, high);
    out.most[c] += std::max(low, high);
  }
  return out;
}

class BoundsFinder {
 public:
  BoundsFinder(const QuantPlan& plan, const std::vector<double>& input_reach) : plan_(plan) {
    for (mlir::Value value : plan.activations) {
      auto argument = mlir::dyn_cast<mlir::BlockArgument>(value);
      // Its range is its own where contractions alone read it.
      const bool known = argument && argument.getArgNumber() < input_reach.size() &&
                         !scalableEnds(plan, value).consumers.empty();
      bounds_.push_back(
          within(channelCount(value), known ? input_reach[argument.getArgNumber()] : kUnbounded));
    }
  }

  std::vector<ChannelBounds> run() {
    for (const QuantNode& node : plan_.nodes) {
      ChannelBounds bounds = ofAnchor(node);
      if (node.residual) add(of(node.residual), bounds);
      for (double& least : bounds.least) least = std::clamp(least, node.clip_min, node.clip_max);
      for (double& most : bounds.most) most = std::clamp(most, node.clip_min, node.clip_max);
      of(node.output) = std::move(bounds);
    }
    return std::move(bounds_);
  }

 private:
  ChannelBounds& of(mlir::Value value) {
    return bounds_[static_cast<size_t>(plan_.indexOf(value))];
  }

  static void add(const ChannelBounds& other, ChannelBounds& bounds) {
    for (size_t c = 0; c < bounds.least.size(); ++c) {
      bounds.least[c] += other.least[c];
      bounds.most[c] += other.most[c];
    }
  }

  ChannelBounds ofAnchor(const QuantNode& node) {
    if (node.kind == Kind::kConv || node.kind == Kind::kMatMul) {
      return ofContraction(node, of(node.inputs[0]));
    }
    if (node.kind == Kind::kClip || mlir::isa<graph::MaxPoolOp>(node.anchor)) {
      return of(node.inputs[0]);
    }
    if (node.kind == Kind::kAvgPool) {
      ChannelBounds bounds = of(node.inputs[0]);
      addZero(bounds);  // which its pads may count as
      return bounds;
    }
    return within(channelCount(node.output), kUnbounded);
  }

  const QuantPlan& plan_;
  std::vector<ChannelBounds> bounds_;
};

}  // namespace

std::vector<ChannelBounds> channelBounds(const QuantPlan& plan,
                                         const std::vector<double>& input_reach) {
  return BoundsFinder(plan, input_reach).run();
}

}  // namespace vta::compiler
