#include <cmath>

#include "compiler/graph_passes/pass_utils.h"
#include "compiler/graph_passes/passes.h"

namespace vta::compiler {

#define GEN_PASS_DEF_GRAPHFOLDPADPASS
#include "compiler/graph_passes/passes.h.inc"

namespace {

using graph::PadOp;
using graph::Shape;
using mlir::Value;

/// A constant pad of the spatial dimensions of an NCHW tensor, by zero or more on each side.
PadOp spatialPad(Value value) {
  auto pad = value.getDefiningOp<PadOp>();
  if (!pad || pad.getMode() != graph::PadMode::constant || pad.getLow().size() != 4) return {};
  for (size_t i = 0; i < 4; ++i) {
    int64_t low = pad.getLow()[i], high = pad.getHigh()[i];
    bool fits = i < 2 ? low == 0 && high == 0 : low >= 0 && high >= 0;
    if (!fits) return {};
  }
  return pad;
}

/// `pads` of a window op plus those of `pad`.
Shape addPads(llvm::ArrayRef<int64_t> pads, PadOp pad) {
  return {pads[0] + pad.getLow()[2], pads[1] + pad.getLow()[3], pads[2] + pad.getHigh()[2],
          pads[3] + pad.getHigh()[3]};
}

bool hasPads(llvm::ArrayRef<int64_t> pads) {
  return llvm::any_of(pads, [](int64_t pad) { return pad != 0; });
}

/// Whether `value` cannot hold negative numbers.
bool isNonNegative(Value value) {
  if (auto unary = value.getDefiningOp<graph::UnaryOp>()) {
    return llvm::is_contained({graph::UnaryKind::relu, graph::UnaryKind::abs, graph::UnaryKind::exp,
                               graph::UnaryKind::sigmoid, graph::UnaryKind::hard_sigmoid},
                              unary.getKind());
  }
  auto clip = value.getDefiningOp<graph::ClipOp>();
  return clip && clip.getMin().convertToDouble() >= 0;
}

void takePads(mlir::PatternRewriter& rewriter, mlir::Operation* op, PadOp pad, const Shape& pads) {
  rewriter.modifyOpInPlace(op, [&] {
    op->setOperand(0, pad.getInput());
    op->setAttr("pads", rewriter.getDenseI64ArrayAttr(pads));
  });
}

class FoldIntoConv : public mlir::OpRewritePattern<graph::ConvOp> {
 public:
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(graph::ConvOp op,
                                      mlir::PatternRewriter& rewriter) const override {
    PadOp pad = spatialPad(op.getInput());
    if (!pad) return mlir::failure();
    if (pad.getValue().convertToDouble() != static_cast<double>(op.getPadValue())) {
      return rewriter.notifyMatchFailure(op, "the pad's value is not the convolution's");
    }
    takePads(rewriter, op, pad, addPads(op.getPads(), pad));
    return mlir::success();
  }
};

/// A maximum ignores its padding: so may a pad with minus infinity, or with zero below numbers that
/// are not negative, as long as each window holds an element of the input.
class FoldIntoMaxPool : public mlir::OpRewritePattern<graph::MaxPoolOp> {
 public:
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(graph::MaxPoolOp op,
                                      mlir::PatternRewriter& rewriter) const override {
    PadOp pad = spatialPad(op.getInput());
    if (!pad) return mlir::failure();
    double value = pad.getValue().convertToDouble();
    bool never_wins = std::isinf(value) && value < 0;
    if (!never_wins && !(value == 0 && isNonNegative(pad.getInput()))) return mlir::failure();
    Shape pads = addPads(op.getPads(), pad);
    for (size_t i = 0; i < 4; ++i) {
      int64_t extent = op.getKernel()[i % 2];
      if (op.getDilations()[i % 2] != 1 || pads[i] >= extent) return mlir::failure();
    }
    takePads(rewriter, op, pad, pads);
    return mlir::success();
  }
};

/// An average that counts padding.
class FoldIntoAvgPool : public mlir::OpRewritePattern<graph::AvgPoolOp> {
 public:
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(graph::AvgPoolOp op,
                                      mlir::PatternRewriter& rewriter) const override {
    PadOp pad = spatialPad(op.getInput());
    if (!pad || pad.getValue().convertToDouble() != 0) return mlir::failure();
    // Pads of its own that it does not count cannot be told from the new ones.
    if (hasPads(op.getPads()) && !op.getCountIncludePad()) return mlir::failure();
    takePads(rewriter, op, pad, addPads(op.getPads(), pad));
    rewriter.modifyOpInPlace(op, [&] { op.setCountIncludePad(true); });
    return mlir::success();
  }
};

class GraphFoldPadPass : public GraphPatternPass<impl::GraphFoldPadPassBase<GraphFoldPadPass>> {
  void addPatterns(mlir::RewritePatternSet& patterns) const override {
    patterns.add<FoldIntoConv, FoldIntoMaxPool, FoldIntoAvgPool>(patterns.getContext());
  }
};

}  // namespace

}  // namespace vta::compiler
