#include <algorithm>
#include <cmath>
#include <vector>

#include "compiler/graph_passes/pass_utils.h"
#include "compiler/graph_passes/passes.h"

namespace vta::compiler {

#define GEN_PASS_DEF_GRAPHSPLITCHANNELPADSPASS
#include "compiler/graph_passes/passes.h.inc"

namespace {

using graph::PadOp;
using mlir::Value;

/// A pad that adds channels of a constant other than 0 to images.
bool addsOtherThanZero(PadOp pad) {
  if (pad.getMode() != graph::PadMode::constant || pad.getLow().size() != 4) return false;
  const double value = pad.getValue().convertToDouble();
  if (!graph::elementTypeOf(pad.getInput()).isF32() || !std::isfinite(value) || value == 0) {
    return false;
  }
  bool adds = false;
  for (size_t i = 0; i < 4; ++i) {
    const int64_t low = pad.getLow()[i], high = pad.getHigh()[i];
    if (low < 0 || high < 0 || (i != 1 && low + high > 0)) return false;
    adds = adds || low + high > 0;
  }
  return adds;
}

/// The pad's constant in the channels that it adds, and zero in those of its input.
std::vector<double> addedChannels(PadOp pad) {
  const auto channels = static_cast<size_t>(graph::shapeOf(pad.getOutput())[1]);
  std::vector<double> values(channels, pad.getValue().convertToDouble());
  const auto first = values.begin() + pad.getLow()[1];
  std::fill(first, first + graph::shapeOf(pad.getInput())[1], 0.0);
  return values;
}

Result<Value> padWithZeros(graph::GraphBuilder& build, PadOp pad) {
  const graph::Shape low(pad.getLow()), high(pad.getHigh());
  return build.pad(pad.getInput(), low, high, graph::PadMode::constant, 0);
}

/// The addition that is the only one to read the pad, with something that is no constant; else
/// null.
graph::BinaryOp onlySum(PadOp pad) {
  if (!pad.getOutput().hasOneUse()) return {};
  auto sum = mlir::dyn_cast<graph::BinaryOp>(*pad.getOutput().getUsers().begin());
  const bool is_residual = sum && sum.getKind() == graph::BinaryKind::add &&
                           !splitConstant(sum).constant &&
                           sum.getLhs().getType() == sum.getRhs().getType();
  return is_residual ? sum : graph::BinaryOp();
}

class SplitChannelPad : public mlir::OpRewritePattern<PadOp> {
 public:
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(PadOp pad, mlir::PatternRewriter& rewriter) const override {
    if (!addsOtherThanZero(pad)) return mlir::failure();
    if (graph::BinaryOp sum = onlySum(pad)) return splitInSum(pad, sum, rewriter);
    graph::GraphBuilder build = builderAt(rewriter, pad);
    const auto zeros = padWithZeros(build, pad);
    if (!zeros.ok()) return mlir::failure();
    return replaceWith(rewriter, pad,
                       build.binary(graph::BinaryKind::add, *zeros,
                                    constantPerIndex(build, addedChannels(pad), 1, 4)));
  }

 private:
  /// (pad + constant) + other is pad + (other + constant): the bias of a convolution takes it in.
  static mlir::LogicalResult splitInSum(PadOp pad, graph::BinaryOp sum,
                                        mlir::PatternRewriter& rewriter) {
    graph::GraphBuilder build = builderAt(rewriter, sum);
    const Value other = sum.getLhs() == pad.getOutput() ? sum.getRhs() : sum.getLhs();
    const auto zeros = padWithZeros(build, pad);
    const auto moved = build.binary(graph::BinaryKind::add, other,
                                    constantPerIndex(build, addedChannels(pad), 1, 4));
    if (!zeros.ok() || !moved.ok()) return mlir::failure();
    return replaceWith(rewriter, sum, build.binary(graph::BinaryKind::add, *moved, *zeros));
  }
};

class GraphSplitChannelPadsPass
    : public GraphPatternPass<impl::GraphSplitChannelPadsPassBase<GraphSplitChannelPadsPass>> {
  void addPatterns(mlir::RewritePatternSet& patterns) const override {
    patterns.add<SplitChannelPad>(patterns.getContext());
  }
};

}  // namespace

}  // namespace vta::compiler
