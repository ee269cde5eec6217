#include "compiler/quantize/channels/constant_channels.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/integer_math.h"
#include "compiler/dialects/graph/graph.h"
#include "compiler/quantize/channels/channel_bounds.h"
#include "compiler/quantize/plan/equalize.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace vta::compiler {
namespace {

using mlir::RankedTensorType;
using mlir::Value;

/// Of the largest value of an activation: far less than a step of 8 bits.
constexpr double kNegligible = 1e-6;

using Channels = std::vector<bool>;

bool isWhole(const QuantNode& node) {
  auto conv = mlir::dyn_cast<graph::ConvOp>(node.anchor);
  return !conv || conv.getGroup() == 1;
}

/// One filter for each channel.
bool isDepthwiseNode(const QuantNode& node) {
  auto conv = mlir::dyn_cast<graph::ConvOp>(node.anchor);
  if (!conv) return false;
  const auto shape = conv.getWeight().getType().getShape();
  return shape[1] == 1 && static_cast<int64_t>(conv.getGroup()) == shape[0];
}

bool padsWithZeros(const QuantNode& node) {
  auto conv = mlir::dyn_cast<graph::ConvOp>(node.anchor);
  return conv && llvm::any_of(conv.getPads(), [](int64_t pad) { return pad != 0; });
}

/// Which channels go, by activation; empty where all stay.
class ChannelChooser {
 public:
  ChannelChooser(const QuantPlan& plan, const std::vector<ChannelBounds>& bounds,
                 const HwConfig& hw)
      : plan_(plan), bounds_(bounds), hw_(hw), gone_(plan.activations.size()) {}

  std::vector<Channels> run() {
    for (size_t i = 0; i < gone_.size(); ++i) gone_[i] = constantChannels(i);
    settle();
    for (size_t i = 0; i < gone_.size(); ++i) {
      if (!isWorthwhile(gone_[i])) gone_[i].clear();
    }
    settle();
    for (Channels& channels : gone_) {
      const bool all = std::ranges::all_of(channels, std::identity());
      if (all && !channels.empty()) channels[0] = false;  // no tensor is without elements
      if (std::ranges::none_of(channels, std::identity())) channels.clear();
    }
    return std::move(gone_);
  }

 private:
  Channels constantChannels(size_t activation) const {
    const ScalableEnds ends = scalableEnds(plan_, plan_.activations[activation]);
    if (ends.producer == nullptr || ends.consumers.empty()) return {};
    const ChannelBounds& bounds = bounds_[activation];
    double largest = 0;
    for (size_t c = 0; c < bounds.least.size(); ++c) {
      const double reach = std::max(std::abs(bounds.least[c]), std::abs(bounds.most[c]));
      if (std::isfinite(reach)) largest = std::max(largest, reach);
    }
    Channels constant;
    for (size_t c = 0; c < bounds.least.size(); ++c) {
      constant.push_back(bounds.most[c] - bounds.least[c] <= kNegligible * largest);
    }
    return constant;
  }

  // A depthwise convolution has a channel on both sides or on none.
  void settle() {
    bool changed = true;
    while (changed) {
      changed = false;
      for (size_t i = 0; i < gone_.size(); ++i) {
        for (size_t c = 0; c < gone_[i].size(); ++c) {
          if (!gone_[i][c] || mayGo(i, c)) continue;
          gone_[i][c] = false;
          changed = true;
        }
      }
    }
  }

  bool isGone(Value value, size_t channel) const {
    const Channels& channels = gone_[static_cast<size_t>(plan_.indexOf(value))];
    return channel < channels.size() && channels[channel];
  }

  bool mayGo(size_t activation, size_t channel) const {
    const ScalableEnds ends = scalableEnds(plan_, plan_.activations[activation]);
    const QuantNode& producer = *ends.producer;
    const bool from_depthwise = isDepthwiseNode(producer);
    if (from_depthwise ? !isGone(producer.inputs[0], channel) : !isWhole(producer)) return false;
    const bool is_zero =
        std::max(std::abs(bounds_[activation].least[channel]),
                 std::abs(bounds_[activation].most[channel])) <= std::numeric_limits<float>::min();
    return llvm::all_of(ends.consumers, [&](const QuantNode* consumer) {
      if (isDepthwiseNode(*consumer)) return isGone(consumer->output, channel);
      return isWhole(*consumer) && (is_zero || !padsWithZeros(*consumer));
    });
  }

  bool isWorthwhile(const Channels& gone) const {
    const auto all = static_cast<int64_t>(gone.size());
    const int64_t kept = std::max<int64_t>(std::ranges::count(gone, false), 1);
    return llvm::any_of(llvm::ArrayRef<int64_t>{hw_.blockIn(), hw_.blockOut()}, [&](int64_t block) {
      const int64_t lanes = ceilDiv(all, block) * block;
      return ceilDiv(kept, block) * block < lanes || (2 * kept <= lanes && lanes < 2 * all);
    });
  }

  const QuantPlan& plan_;
  const std::vector<ChannelBounds>& bounds_;
  const HwConfig& hw_;
  std::vector<Channels> gone_;
};

/// Rewrites one contraction without the channels that go on either side.
class NodeRewriter {
 public:
  NodeRewriter(const QuantNode& node, const Channels& inputs, const Channels& outputs,
               const ChannelBounds& values)
      : node_(node), builder_(node.anchor), inputs_(inputs), outputs_(outputs) {
    readWeights(values);
  }

  void run() {
    if (outputs_.empty()) {
      node_.anchor->setOperand(1, constant(weights_, weight_shape_));
      if (llvm::any_of(moved_, [](float value) { return value != 0; })) addMoved();
    } else {
      replaceAll();
    }
  }

 private:
  static bool isIn(const Channels& channels, size_t channel) {
    return !channels.empty() && channels[channel];
  }

  // The weights that stay, and what those that go add to each output channel.
  void readWeights(const ChannelBounds& values) {
    Value weight = node_.anchor->getOperand(1);
    const std::vector<float> all = floatConstant(weight);
    const auto shape = mlir::cast<RankedTensorType>(weight.getType()).getShape();
    const bool conv = mlir::isa<graph::ConvOp>(node_.anchor);
    const InputChannels inputs = inputChannels(node_);
    moved_.assign(node_.bias.size(), 0);
    for (size_t i = 0; i < all.size(); ++i) {
      const size_t out = conv ? i / (all.size() / moved_.size()) : i % moved_.size();
      const auto in = static_cast<size_t>(inputs.of(static_cast<int64_t>(i)));
      if (isIn(outputs_, out)) continue;
      if (isIn(inputs_, in)) {
        moved_[out] += static_cast<float>(all[i] * (values.least[in] + values.most[in]) / 2);
      } else {
        weights_.push_back(all[i]);
      }
    }
    weight_shape_.assign(shape.begin(), shape.end());
    const auto gone = [](const Channels& channels) { return std::ranges::count(channels, true); };
    weight_shape_[conv ? 0 : 1] -= gone(outputs_);
    if (!isDepthwiseNode(node_)) weight_shape_[conv ? 1 : 0] -= gone(inputs_);
  }

  Value constant(const std::vector<float>& values, llvm::ArrayRef<int64_t> shape) {
    const auto type = RankedTensorType::get(shape, builder_.getF32Type());
    const auto attribute = mlir::DenseElementsAttr::get(type, llvm::ArrayRef<float>(values));
    return builder_.create<mlir::arith::ConstantOp>(node_.anchor->getLoc(), type, attribute);
  }

  Value add(Value sum, const std::vector<float>& bias, mlir::Location location) {
    const auto type = mlir::cast<RankedTensorType>(sum.getType());
    llvm::SmallVector<int64_t> shape(static_cast<size_t>(type.getRank()), 1);
    shape[1] = static_cast<int64_t>(bias.size());
    return builder_.create<graph::BinaryOp>(location, type, sum, constant(bias, shape),
                                            graph::BinaryKind::add);
  }

  // The node stays as it is, and its sums get what is moved.
  void addMoved() {
    Value sum = node_.anchor->getResult(0);
    builder_.setInsertionPointAfter(node_.anchor);
    Value moved = add(sum, moved_, node_.anchor->getLoc());
    sum.replaceAllUsesExcept(moved, moved.getDefiningOp());
  }

  void replaceAll() {
    std::vector<float> bias;
    for (size_t c = 0; c < moved_.size(); ++c) {
      if (!isIn(outputs_, c)) bias.push_back(node_.bias[c] + moved_[c]);
    }
    const bool clips = mlir::isa<graph::UnaryOp, graph::ClipOp>(node_.last);
    Value value = add(contract(), bias, (clips ? node_.anchor : node_.last)->getLoc());
    if (clips) {
      mlir::Operation* clip = builder_.clone(*node_.last);
      clip->setOperand(0, value);
      clip->getResult(0).setType(value.getType());
      value = clip->getResult(0);
    }
    node_.last->getResult(0).replaceAllUsesWith(value);
    for (mlir::Operation* op : llvm::reverse(node_.ops)) op->erase();
  }

  Value contract() {
    auto type = mlir::cast<RankedTensorType>(node_.anchor->getResult(0).getType());
    llvm::SmallVector<int64_t> shape(type.getShape());
    shape[1] -= std::ranges::count(outputs_, true);
    type = type.clone(shape);
    mlir::Operation* copy = builder_.clone(*node_.anchor);
    copy->setOperands({node_.anchor->getOperand(0), constant(weights_, weight_shape_)});
    copy->getResult(0).setType(type);
    if (isDepthwiseNode(node_)) {
      mlir::cast<graph::ConvOp>(copy).setGroup(static_cast<uint64_t>(shape[1]));
    }
    copy->moveBefore(node_.anchor);
    builder_.setInsertionPointAfter(copy);
    return copy->getResult(0);
  }

  const QuantNode& node_;
  mlir::OpBuilder builder_;
  const Channels &inputs_, &outputs_;
  std::vector<float> weights_, moved_;
  llvm::SmallVector<int64_t> weight_shape_;
};

}  // namespace

int64_t leaveOutConstantChannels(const QuantPlan& plan, const std::vector<double>& input_reach,
                                 const HwConfig& hw) {
  const std::vector<ChannelBounds> bounds = channelBounds(plan, input_reach);
  const std::vector<Channels> gone = ChannelChooser(plan, bounds, hw).run();
  int64_t count = 0;
  for (const Channels& channels : gone) count += std::ranges::count(channels, true);
  if (count == 0) return 0;
  for (const QuantNode& node : plan.nodes) {
    if (node.kind != QuantNode::Kind::kConv && node.kind != QuantNode::Kind::kMatMul) continue;
    const auto in = static_cast<size_t>(plan.indexOf(node.inputs[0]));
    const auto out = static_cast<size_t>(plan.indexOf(node.output));
    if (gone[in].empty() && gone[out].empty()) continue;
    NodeRewriter(node, gone[in], gone[out], bounds[in]).run();
  }
  return count;
}

}  // namespace vta::compiler
