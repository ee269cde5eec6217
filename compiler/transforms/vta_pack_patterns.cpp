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

/// Only the image's borders are padded.
bool isSpatialPad(graph::PadOp pad) {
  const llvm::ArrayRef<int64_t> low = pad.getLow(), high = pad.getHigh();
  return pad.getMode() == graph::PadMode::constant && low.size() == 4 && low[0] == 0 &&
         low[1] == 0 && high[0] == 0 && high[1] == 0;
}

/// Along channels, and no block holds channels of two parts.
bool joinsWholeBlocks(graph::ConcatOp concat, int64_t block) {
  if (concat.getAxis() != 1 || mlir::cast<RankedTensorType>(concat.getType()).getRank() != 4) {
    return false;
  }
  return llvm::all_of(concat.getInputs().drop_back(), [&](Value part) {
    return mlir::cast<RankedTensorType>(part.getType()).getDimSize(1) % block == 0;
  });
}

/// True when packing `value` moves nothing: it comes from kernels with the same blocks, perhaps
/// through operations that work on packed tensors as well.
bool packsForFree(Value value, int64_t batch, int64_t block) {
  mlir::Operation* op = value.getDefiningOp();
  if (auto unpack = mlir::dyn_cast_or_null<UnpackOp>(op)) {
    auto packed = mlir::cast<RankedTensorType>(unpack.getInput().getType());
    return packed.getDimSize(4) == batch && packed.getDimSize(5) == block;
  }
  if (auto pad = mlir::dyn_cast_or_null<graph::PadOp>(op)) {
    return isSpatialPad(pad) && packsForFree(pad.getInput(), batch, block);
  }
  auto concat = mlir::dyn_cast_or_null<graph::ConcatOp>(op);
  return concat && joinsWholeBlocks(concat, block) &&
         llvm::all_of(concat.getInputs(),
                      [&](Value part) { return packsForFree(part, batch, block); });
}

Value packLike(PackOp pack, Value plain, mlir::PatternRewriter& rewriter) {
  auto packed = mlir::cast<RankedTensorType>(pack.getType());
  return rewriter.create<PackOp>(plain.getLoc(),
                                 packedType(mlir::cast<RankedTensorType>(plain.getType()),
                                            packed.getDimSize(4), packed.getDimSize(5)),
                                 plain);
}

bool isFree(PackOp pack) {
  auto packed = mlir::cast<RankedTensorType>(pack.getType());
  return packsForFree(pack.getInput(), packed.getDimSize(4), packed.getDimSize(5));
}

/// pack(concat(x, ...)) = concat(pack(x), ...) where that costs nothing.
struct PackOfConcat : mlir::OpRewritePattern<PackOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PackOp pack, mlir::PatternRewriter& rewriter) const override {
    auto concat = pack.getInput().getDefiningOp<graph::ConcatOp>();
    if (!concat || !isFree(pack)) return mlir::failure();
    llvm::SmallVector<Value> parts;
    for (Value part : concat.getInputs()) parts.push_back(packLike(pack, part, rewriter));
    rewriter.replaceOp(pack,
                       rewriter.create<graph::ConcatOp>(concat.getLoc(), pack.getType(), parts, 1));
    return mlir::success();
  }
};

/// pack(pad(x)) = pad(pack(x)) where that costs nothing.
struct PackOfPad : mlir::OpRewritePattern<PackOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PackOp pack, mlir::PatternRewriter& rewriter) const override {
    auto pad = pack.getInput().getDefiningOp<graph::PadOp>();
    if (!pad || !isFree(pack)) return mlir::failure();
    const llvm::ArrayRef<int64_t> low = pad.getLow(), high = pad.getHigh();
    auto packed = rewriter.create<graph::PadOp>(
        pad.getLoc(), pack.getType(), packLike(pack, pad.getInput(), rewriter),
        llvm::ArrayRef<int64_t>{0, 0, low[2], low[3], 0, 0},
        llvm::ArrayRef<int64_t>{0, 0, high[2], high[3], 0, 0}, pad.getMode(), pad.getValue());
    rewriter.replaceOp(pack, packed);
    return mlir::success();
  }
};

}  // namespace

void populatePackPatterns(mlir::RewritePatternSet& patterns) {
  patterns.add<PackOfReshape, MergeReshapes, PackOfConcat, PackOfPad>(patterns.getContext());
}

}  // namespace vta::compiler
