// vta-order-channels: channels that are shuffled, split or joined within blocks stay where they
// are.
//
// The pass walks the graph and knows some tensors as *views*: channels, in some order, of another
// tensor, which exists. What computes channel by channel is applied to that other tensor, with its
// constants in the other order, and gives a view again. A convolution takes the order into its
// weights. What can do neither reads a copy in order, made by a convolution that has a single one
// in each filter. Nothing is rounded on the way, so results do not change.
#include "base/integer_math.h"
#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/graph/work.h"
#include "compiler/dialects/vta/shape.h"
#include "compiler/dialects/vta/vta.h"
#include "compiler/vta/channels/channel_constants.h"
#include "compiler/vta/channels/channel_view.h"
#include "compiler/vta/channels/take_channels.h"
#include "compiler/vta/common/constants.h"
#include "compiler/vta/common/data_movement.h"
#include "compiler/vta/common/hw_pass.h"
#include "compiler/vta/passes.h"
#include "llvm/ADT/MapVector.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/TypeUtilities.h"

namespace vta::compiler {

#define GEN_PASS_DEF_ORDERCHANNELSPASS
#include "compiler/vta/passes.h.inc"

namespace {

using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

ChannelPlaces placesIn(const ChannelView& view) { return {view.channels, view.sourceChannels()}; }

bool isImage(Value value) { return shapeOf(value).size() == 4; }

/// The type of the image `value` with `channels` channels.
RankedTensorType withChannels(Value value, int64_t channels) {
  llvm::SmallVector<int64_t> shape(shapeOf(value));
  shape[1] = channels;
  return mlir::cast<RankedTensorType>(value.getType()).clone(shape);
}

bool readsEachOnce(const ChannelView& view) {
  std::vector<int64_t> sorted = view.channels;
  llvm::sort(sorted);
  return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
}

/// A convolution of integers whose weights can be given others.
bool hasOwnWeights(graph::ConvOp conv) {
  return graph::isIntegerContraction(conv) && readBytes(conv.getWeight()) && !conv.getBias();
}

bool isDepthwise(graph::ConvOp conv) {
  const int64_t channels = shapeOf(conv.getInput())[1];
  return channels > 1 && static_cast<int64_t>(conv.getGroup()) == channels &&
         shapeOf(conv.getOutput())[1] == channels;
}

/// `conv` of `input` with other weights.
graph::ConvOp replaceConv(mlir::OpBuilder& builder, graph::ConvOp conv, Value input, Value weight,
                          int64_t group) {
  const auto type = withChannels(conv.getOutput(), shapeOf(weight)[0]);
  auto made = builder.create<graph::ConvOp>(conv.getLoc(), type, input, weight, mlir::Value(),
                                            conv.getStrides(), conv.getPads(), conv.getDilations(),
                                            group, conv.getPadValue());
  auto macs = conv->getAttr(kMacsAttr);
  made->setAttr(kMacsAttr, macs ? macs : builder.getI64IntegerAttr(graph::countMacs(conv)));
  return made;
}

/// True where every channel of the result is a function of the same channel of the operands.
bool computesByChannel(Operation* op) {
  if (op->getNumResults() != 1 || !isImage(op->getResult(0))) return false;
  if (auto table = mlir::dyn_cast<graph::TableOp>(op)) {
    return table.getAxes().empty() || table.getAxes() == llvm::ArrayRef<int64_t>{1};
  }
  if (auto interleave = mlir::dyn_cast<graph::InterleaveOp>(op)) return interleave.getRepeat();
  if (auto pad = mlir::dyn_cast<graph::PadOp>(op)) {
    return pad.getMode() != graph::PadMode::constant && pad.getLow()[1] == 0 &&
           pad.getHigh()[1] == 0;
  }
  return mlir::isa<graph::BinaryOp, graph::UnaryOp, graph::ShrOp, graph::QmulOp, graph::ClipIntOp,
                   graph::CastOp, graph::MaxPoolOp, graph::SumPoolOp>(op);
}

/// The operands that are no constants.
llvm::SmallVector<Value> activationsOf(Operation* op) {
  llvm::SmallVector<Value> out;
  for (Value operand : op->getOperands()) {
    if (!isConstant(operand)) out.push_back(operand);
  }
  return out;
}

/// `op`, which computes by channel, with activations of `to.count` channels in place of its own.
Value applyTo(mlir::OpBuilder& builder, Operation* op, llvm::ArrayRef<Value> activations,
              ChannelPlaces to) {
  Operation* made = builder.clone(*op);
  size_t next = 0;
  for (mlir::OpOperand& operand : made->getOpOperands()) {
    if (!isConstant(operand.get())) {
      operand.set(activations[next++]);
    } else if (auto table = mlir::dyn_cast<graph::TableOp>(op)) {
      if (!table.getAxes().empty()) operand.set(placeChannels(builder, operand.get(), 0, to));
    } else {
      operand.set(placeParameters(builder, operand.get(), to));
    }
  }
  made->moveBefore(op);
  made->getResult(0).setType(withChannels(made->getResult(0), to.count));
  return made->getResult(0);
}

/// True for what runs on the host in any case.
bool isHostWork(Operation* op) { return mlir::isa<graph::DequantizeOp, mlir::func::ReturnOp>(op); }

/// One pass over a function; see the top of this file.
class ChannelOrders {
 public:
  ChannelOrders(mlir::func::FuncOp main, int64_t block) : main_(main), block_(block) {}

  void run() {
    llvm::SmallVector<Operation*> ops;
    for (Operation& op : main_.getBody().front()) ops.push_back(&op);
    for (Operation* op : ops) visit(op);
    for (Operation* op : llvm::reverse(ops)) {
      if (mlir::isOpTriviallyDead(op)) op->erase();
    }
  }

 private:
  /// Moves are looked through, from what reads their results.
  void visit(Operation* op) {
    if (isMove(op)) return;
    if (auto concat = mlir::dyn_cast<graph::ConcatOp>(op); concat && join(concat)) return;
    if (auto conv = mlir::dyn_cast<graph::ConvOp>(op); conv && takeOrder(conv)) return;
    if (computesByChannel(op) && carryOrder(op)) return;
    putInOrder(op);
  }

  int64_t blocksOf(int64_t channels) const { return ceilDiv(channels, block_); }

  /// `value` as channels of a tensor that exists; none if it exists itself, if the host makes it
  /// anyway, or if it is a range of channels, which later passes take.
  std::optional<ChannelView> viewOf(Value value) {
    if (auto known = views_.find(value); known != views_.end()) return known->second;
    std::optional<ChannelView> view = traceChannels(value);
    if (!view) return std::nullopt;
    auto known = views_.find(view->source);
    if (known == views_.end()) {
      if (view->isRange() || comesFromHost(view->source)) return std::nullopt;
      return view;
    }
    return through(*view, known->second);
  }

  /// `outer` with what its source is a view of as the source.
  static ChannelView through(ChannelView outer, const ChannelView& inner) {
    for (int64_t& c : outer.channels) c = inner.channels[static_cast<size_t>(c)];
    outer.source = inner.source;
    return outer;
  }

  /// True if computing all channels of the source takes about as long as computing those of the
  /// view.
  bool isWorthCarrying(const ChannelView& view) const {
    const auto channels = static_cast<int64_t>(view.channels.size());
    return readsEachOnce(view) && 2 * blocksOf(view.sourceChannels()) <= 3 * blocksOf(channels);
  }

  /// A convolution of a view has weights for the source's channels.
  bool takeOrder(graph::ConvOp conv) {
    const std::optional<ChannelView> view = viewOf(conv.getInput());
    if (!view || !hasOwnWeights(conv)) return false;
    mlir::OpBuilder builder(conv);
    if (isDepthwise(conv)) {
      if (!isWorthCarrying(*view)) return false;
      Value weight = placeChannels(builder, conv.getWeight(), 0, placesIn(*view));
      Value made =
          replaceConv(builder, conv, view->source, weight, view->sourceChannels()).getOutput();
      views_[conv.getOutput()] = {made, view->channels};
      return true;
    }
    if (!readsEachOnce(*view) || !isCheaperThanCopy(conv, *view)) return false;
    Value weight = conv.getWeight();
    const auto group = static_cast<int64_t>(conv.getGroup());
    if (group > 1) weight = ungroupWeights(builder, weight, group);
    weight = placeChannels(builder, weight, 1, placesIn(*view));
    conv.replaceAllUsesWith(replaceConv(builder, conv, view->source, weight, 1).getOutput());
    return true;
  }

  /// Products of a convolution of the source against those of a copy and a convolution of it.
  static bool isCheaperThanCopy(graph::ConvOp conv, const ChannelView& view) {
    const llvm::ArrayRef<int64_t> weights = shapeOf(conv.getWeight());
    const llvm::ArrayRef<int64_t> in = shapeOf(conv.getInput()), out = shapeOf(conv.getOutput());
    const int64_t per_input = weights[0] * weights[2] * weights[3] * out[2] * out[3];
    const auto channels = static_cast<int64_t>(view.channels.size());
    const int64_t copy = view.sourceChannels() * channels * in[2] * in[3];
    return view.sourceChannels() * per_input <= copy + channels * per_input;
  }

  /// Applies what computes by channel to the sources. Two operands have to have the same order.
  bool carryOrder(Operation* op) {
    const llvm::SmallVector<Value> operands = activationsOf(op);
    llvm::SmallVector<std::optional<ChannelView>> views;
    for (Value operand : operands) {
      if (!isImage(operand)) return false;
      views.push_back(viewOf(operand));
    }
    const auto first = llvm::find_if(views, [](const auto& view) { return view.has_value(); });
    if (first == views.end()) return false;
    const ChannelView order = **first;
    if (!isWorthCarrying(order)) return false;
    llvm::SmallVector<Value> sources;
    for (size_t i = 0; i < operands.size(); ++i) {
      if (shapeOf(operands[i])[1] != shapeOf(op->getResult(0))[1]) return false;
      const bool fits = views[i] && views[i]->channels == order.channels &&
                        views[i]->sourceChannels() == order.sourceChannels();
      if (views[i] && !fits) return false;
      sources.push_back(views[i] ? views[i]->source : computedIn(operands[i], placesIn(order)));
      if (!sources.back()) return false;
    }
    mlir::OpBuilder builder(op);
    Value made = applyTo(builder, op, sources, placesIn(order));
    views_[op->getResult(0)] = {made, order.channels};
    return true;
  }

  /// `value` with its channels in these places, computed so by the convolution in front; null if
  /// anything else is in front, or if something else reads what is on the way.
  Value computedIn(Value value, ChannelPlaces to) {
    Operation* op = value.getDefiningOp();
    if (!op || !value.hasOneUse()) return {};
    mlir::OpBuilder builder(op);
    if (auto conv = mlir::dyn_cast<graph::ConvOp>(op)) {
      if (!hasOwnWeights(conv) || conv.getGroup() != 1) return {};
      Value weight = placeChannels(builder, conv.getWeight(), 0, to);
      return replaceConv(builder, conv, conv.getInput(), weight, 1).getOutput();
    }
    const llvm::SmallVector<Value> operands = activationsOf(op);
    if (!computesByChannel(op)) return {};
    if (operands.empty()) return applyTo(builder, op, {}, to);
    if (operands.size() != 1 || !isImage(operands[0])) return {};
    Value before = computedIn(operands[0], to);
    return before ? applyTo(builder, op, before, to) : Value();
  }

  /// The whole of a concatenation along channels gets its parts at whole blocks, and is a view
  /// then.
  bool join(graph::ConcatOp concat) {
    const bool moves_channels = isImage(concat.getOutput()) && concat.getAxis() == 1 &&
                                shapeOf(concat.getOutput())[0] == 1 &&
                                mlir::getElementTypeOrSelf(concat.getType()).isInteger(8);
    if (!moves_channels || llvm::all_of(concat->getUsers(), isHostWork)) return false;
    if (llvm::all_of(concat.getInputs(), comesFromHost) || !isRagged(concat)) return false;
    llvm::SmallVector<ChannelView> parts;
    for (Value part : concat.getInputs()) parts.push_back(partOf(part));
    // A source stands for its parts if it has few more blocks than they have.
    llvm::MapVector<Value, int64_t> blocks;
    for (const ChannelView& part : parts) {
      blocks[part.source] += blocksOf(static_cast<int64_t>(part.channels.size()));
    }
    for (size_t i = 0; i < parts.size(); ++i) {
      const ChannelView& part = parts[i];
      const bool stands = 3 * blocks[part.source] >= 2 * blocksOf(part.sourceChannels()) &&
                          (part.source == concat.getInputs()[i] || !isJoined(part.source));
      if (!stands) blocks[part.source] = 0;
    }
    for (size_t i = 0; i < parts.size(); ++i) {
      if (blocks[parts[i].source] != 0) continue;
      parts[i] = viewOfAll(existing(concat.getInputs()[i]));
    }
    views_[concat.getOutput()] = placeParts(concat, parts);
    return true;
  }

  /// True if a part other than the last ends within a block, or if one is a view.
  bool isRagged(graph::ConcatOp concat) {
    const mlir::ValueRange parts = concat.getInputs();
    return llvm::any_of(parts, [&](Value part) { return viewOf(part).has_value(); }) ||
           llvm::any_of(parts.drop_back(),
                        [&](Value part) { return shapeOf(part)[1] % block_ != 0; });
  }

  ChannelView partOf(Value part) {
    if (std::optional<ChannelView> view = viewOf(part)) return *view;
    std::optional<ChannelView> range = traceChannels(part);
    return range && !comesFromHost(range->source) ? *range : viewOfAll(part);
  }

  static bool isJoined(Value value) {
    return llvm::any_of(value.getUsers(), [](Operation* user) {
      return mlir::isa<graph::ConcatOp>(user) || user->hasAttr(kAnyValueAttr);
    });
  }

  /// The sources of `parts`, one behind the other, each but the last filled up to whole blocks.
  ChannelView placeParts(graph::ConcatOp concat, llvm::ArrayRef<ChannelView> parts) {
    mlir::OpBuilder builder(concat);
    llvm::MapVector<Value, int64_t> starts;
    int64_t end = 0;
    ChannelView whole;
    for (const ChannelView& part : parts) {
      auto [place, is_new] = starts.insert({part.source, blocksOf(end) * block_});
      if (is_new) end = place->second + part.sourceChannels();
      for (int64_t c : part.channels) whole.channels.push_back(place->second + c);
    }
    llvm::SmallVector<Value> sources;
    for (auto [source, start] : starts) {
      const bool is_last = source == starts.back().first;
      sources.push_back(is_last ? source : fillBlock(builder, source));
    }
    whole.source = sources.front();
    if (sources.size() > 1) {
      auto joined = builder.create<graph::ConcatOp>(
          concat.getLoc(), withChannels(concat.getOutput(), end), sources, 1);
      joined->setDiscardableAttrs(concat->getDiscardableAttrDictionary());
      whole.source = joined.getOutput();
    }
    return whole;
  }

  /// `value` with channels up to the end of its last block, which nobody uses.
  Value fillBlock(mlir::OpBuilder& builder, Value value) const {
    const int64_t channels = shapeOf(value)[1], missing = blocksOf(channels) * block_ - channels;
    if (missing == 0) return value;
    const llvm::SmallVector<int64_t> low{0, 0, 0, 0}, high{0, missing, 0, 0};
    auto pad =
        builder.create<graph::PadOp>(value.getLoc(), withChannels(value, channels + missing), value,
                                     low, high, graph::PadMode::constant, llvm::APFloat(0.0));
    pad->setAttr(kAnyValueAttr, builder.getUnitAttr());
    return pad.getOutput();
  }

  /// For an operation that wants its operands as they are.
  void putInOrder(Operation* op) {
    for (Value operand : op->getOperands()) {
      const bool is_view = views_.contains(operand);
      const Value root = rootOfMoves(operand);
      if (is_view || (!isHostWork(op) && isImage(operand) && viewOf(operand))) {
        existing(operand);
      } else if (root != operand && views_.contains(root)) {
        viewOf(operand) ? existing(operand) : existing(root);
      }
    }
  }

  /// What has the elements of `value` and exists. All that read `value` read it then.
  Value existing(Value value) {
    const std::optional<ChannelView> view = viewOf(value);
    if (!view) return value;
    Operation* op = value.getDefiningOp();
    views_.erase(value);
    if (!mlir::getElementTypeOrSelf(value.getType()).isInteger(8)) {
      for (Value operand : op->getOperands()) existing(operand);
      return value;
    }
    mlir::OpBuilder builder(op);
    builder.setInsertionPointAfter(op);
    auto taken = takeChannels(builder, value, *view);
    value.replaceAllUsesWith(taken);
    return taken;
  }

  mlir::func::FuncOp main_;
  int64_t block_;
  llvm::DenseMap<Value, ChannelView> views_;
};

class OrderChannelsPass : public HwPass<impl::OrderChannelsPassBase<OrderChannelsPass>> {
 public:
  using HwPass::HwPass;

  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<mlir::func::FuncOp>("main");
    if (!main) return;
    ChannelOrders(main, std::max<int64_t>(hw_.blockIn(), hw_.blockOut())).run();
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> createOrderChannelsPass(const HwConfig& hw) {
  return std::make_unique<OrderChannelsPass>(hw);
}

}  // namespace vta::compiler
