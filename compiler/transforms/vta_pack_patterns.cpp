#include "compiler/transforms/vta_pack_patterns.h"

#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/vta/vta.h"

namespace vta::compiler {

namespace {

using mlir::LogicalResult;
using mlir::RankedTensorType;
using mlir::Value;

/// Images of one pixel and matrices have the same packed form if there is one batch block.
bool isVectorPerImage(llvm::ArrayRef<int64_t> shape) {
  return shape.size() == 2 || (shape.size() == 4 && shape[2] == 1 && shape[3] == 1);
}

/// pack(reshape(unpack(x))) = x between [N, C, 1, 1] and [N, C].
struct PackOfReshape : mlir::OpRewritePattern<PackOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PackOp pack, mlir::PatternRewriter& rewriter) const override {
    auto reshape = pack.getInput().getDefiningOp<graph::ReshapeOp>();
    if (!reshape) return mlir::failure();
    auto unpack = reshape.getInput().getDefiningOp<UnpackOp>();
    if (!unpack || unpack.getInput().getType() != pack.getType()) return mlir::failure();
    auto from = mlir::cast<RankedTensorType>(reshape.getInput().getType()).getShape();
    auto to = mlir::cast<RankedTensorType>(reshape.getType()).getShape();
    if (!isVectorPerImage(from) || !isVectorPerImage(to) ||
        from.take_front(2) != to.take_front(2)) {
      return mlir::failure();
    }
    rewriter.replaceOp(pack, unpack.getInput());
    return mlir::success();
  }
};

/// reshape(reshape(x)) = reshape(x), and away if it changes nothing.
struct MergeReshapes : mlir::OpRewritePattern<graph::ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::ReshapeOp op,
                                mlir::PatternRewriter& rewriter) const override {
    Value source = op.getInput();
    if (auto inner = source.getDefiningOp<graph::ReshapeOp>()) source = inner.getInput();
    if (source.getType() == op.getType()) {
      rewriter.replaceOp(op, source);
      return mlir::success();
    }
    if (source == op.getInput()) return mlir::failure();
    rewriter.replaceOpWithNewOp<graph::ReshapeOp>(op, op.getType(), source);
    return mlir::success();
  }
};

/// pack(concat(unpack(x), ...)) = concat(x, ...) along channel blocks, where no block is shared.
struct PackOfConcat : mlir::OpRewritePattern<PackOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PackOp pack, mlir::PatternRewriter& rewriter) const override {
    auto concat = pack.getInput().getDefiningOp<graph::ConcatOp>();
    auto type = mlir::cast<RankedTensorType>(pack.getInput().getType());
    if (!concat || type.getRank() != 4 || concat.getAxis() != 1) return mlir::failure();
    const RankedTensorType packed = mlir::cast<RankedTensorType>(pack.getType());
    llvm::SmallVector<Value> parts;
    for (auto [index, input] : llvm::enumerate(concat.getInputs())) {
      auto unpack = input.getDefiningOp<UnpackOp>();
      if (!unpack) return mlir::failure();
      auto part = mlir::cast<RankedTensorType>(unpack.getInput().getType());
      if (part.getShape().take_back(2) != packed.getShape().take_back(2)) return mlir::failure();
      const int64_t channels = mlir::cast<RankedTensorType>(input.getType()).getDimSize(1);
      const bool last = index + 1 == concat.getInputs().size();
      if (channels % packed.getDimSize(5) != 0 && !last) return mlir::failure();
      parts.push_back(unpack.getInput());
    }
    rewriter.replaceOpWithNewOp<graph::ConcatOp>(pack, packed, parts, 1);
    return mlir::success();
  }
};

/// pack(pad(unpack(x))) = pad(x) where only the image's borders are padded.
struct PackOfPad : mlir::OpRewritePattern<PackOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PackOp pack, mlir::PatternRewriter& rewriter) const override {
    auto pad = pack.getInput().getDefiningOp<graph::PadOp>();
    if (!pad || pad.getMode() != graph::PadMode::constant || pad.getLow().size() != 4) {
      return mlir::failure();
    }
    auto unpack = pad.getInput().getDefiningOp<UnpackOp>();
    if (!unpack) return mlir::failure();
    const llvm::ArrayRef<int64_t> low = pad.getLow(), high = pad.getHigh();
    if (low[0] != 0 || low[1] != 0 || high[0] != 0 || high[1] != 0) return mlir::failure();
    auto source = mlir::cast<RankedTensorType>(unpack.getInput().getType());
    auto packed = mlir::cast<RankedTensorType>(pack.getType());
    if (source.getShape().take_back(2) != packed.getShape().take_back(2)) return mlir::failure();
    rewriter.replaceOpWithNewOp<graph::PadOp>(
        pack, packed, unpack.getInput(), llvm::ArrayRef<int64_t>{0, 0, low[2], low[3], 0, 0},
        llvm::ArrayRef<int64_t>{0, 0, high[2], high[3], 0, 0}, pad.getMode(), pad.getValue());
    return mlir::success();
  }
};

}  // namespace

void populatePackPatterns(mlir::RewritePatternSet& patterns) {
  patterns.add<PackOfReshape, MergeReshapes, PackOfConcat, PackOfPad>(patterns.getContext());
}

}  // namespace vta::compiler
