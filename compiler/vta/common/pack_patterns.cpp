#include "compiler/vta/common/pack_patterns.h"

#include "compiler/dialects/graph/element_order.h"
#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/vta/shape.h"
#include "compiler/dialects/vta/vta.h"
#include "compiler/placement/reasons.h"
#include "compiler/vta/common/pack_layout.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/TypeUtilities.h"

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

/// pack(v) = x, where v has the elements of unpack(x) in their order, behind reshapes and
/// transposes that undo each other: heads of attention that were taken apart and put together
/// again.
struct PackOfRoundTrip : mlir::OpRewritePattern<PackOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PackOp pack, mlir::PatternRewriter& rewriter) const override {
    Value from = pack.getInput();
    while (mlir::isa_and_nonnull<graph::ReshapeOp, graph::TransposeOp>(from.getDefiningOp())) {
      from = from.getDefiningOp()->getOperand(0);
    }
    auto unpack = from.getDefiningOp<UnpackOp>();
    if (!unpack || unpack.getInput().getType() != pack.getType() ||
        from.getType() != pack.getInput().getType() || !graph::keepsOrder(from, pack.getInput())) {
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

using Layout = PackLayout;

/// Parts but the last along batch or channels consist of whole units.
bool movesWholeBlocks(graph::ConcatOp concat, Layout layout) {
  const auto axis = static_cast<size_t>(concat.getAxis());
  return axis < 4 && llvm::all_of(concat.getInputs().drop_back(), [&](Value part) {
           return shapeOf(part)[axis] % layout.unit(axis) == 0;
         });
}

/// True for channels up to the end of the last block that nobody uses: lanes that are there anyway.
bool fillsLastBlock(graph::PadOp pad, Layout layout) {
  if (!pad->hasAttr(kAnyValueAttr)) return false;
  const int64_t from = shapeOf(pad.getInput())[1], to = shapeOf(pad.getOutput())[1];
  return to == (from + layout.block - 1) / layout.block * layout.block;
}

/// Pads of batch and channels are whole units, behind whole units. Only constants pad those.
bool movesWholeBlocks(graph::PadOp pad, Layout layout) {
  if (fillsLastBlock(pad, layout)) return true;
  for (size_t d = 0; d < 2; ++d) {
    const int64_t low = pad.getLow()[d], high = pad.getHigh()[d], unit = layout.unit(d);
    const bool is_whole =
        low % unit == 0 && (high == 0 || (shapeOf(pad.getInput())[d] + high) % unit == 0);
    const bool is_ragged = shapeOf(pad.getInput())[d] % unit != 0;
    if (low == 0 && high == 0) continue;
    if (!is_whole || low < 0 || high < 0 || (high > 0 && is_ragged)) return false;
    if (pad.getMode() != graph::PadMode::constant) return false;
  }
  return true;
}

/// Of batch and channels, whole units are taken from some place on.
bool movesWholeBlocks(graph::SliceOp slice, Layout layout) {
  for (size_t d = 0; d < 2; ++d) {
    if (layout.unit(d) == 1) continue;
    if (slice.getSteps()[d] != 1 || slice.getStarts()[d] % layout.unit(d) != 0) return false;
  }
  return true;
}

/// The image that reshape(transpose(reshape(x))) is the space-to-depth of, with its factors.
struct SpaceToDepth {
  Value input;
  int64_t rows = 0, cols = 0;
};
std::optional<SpaceToDepth> matchSpaceToDepth(graph::ReshapeOp last) {
  auto transpose = last.getInput().getDefiningOp<graph::TransposeOp>();
  if (!transpose || transpose.getPermutation() != llvm::ArrayRef<int64_t>{0, 3, 5, 1, 2, 4}) {
    return std::nullopt;
  }
  auto first = transpose.getInput().getDefiningOp<graph::ReshapeOp>();
  if (!first || shapeOf(first.getInput()).size() != 4) return std::nullopt;
  const llvm::ArrayRef<int64_t> in = shapeOf(first.getInput()), split = shapeOf(first.getOutput()),
                                out = shapeOf(last.getOutput());
  const int64_t rows = split[3], cols = split[5];
  const bool is_split = split[0] == in[0] && split[1] == in[1] && split[2] * rows == in[2] &&
                        split[4] * cols == in[3];
  if (!is_split || out != llvm::ArrayRef<int64_t>{in[0], rows * cols * in[1], split[2], split[4]}) {
    return std::nullopt;
  }
  return SpaceToDepth{first.getInput(), rows, cols};
}

/// The operands that `op`, which makes a plain image, moves as whole blocks; none if it cannot.
llvm::SmallVector<Value> blockOperands(mlir::Operation* op, Layout layout) {
  if (!op || op->getNumResults() != 1 || shapeOf(op->getResult(0)).size() != 4) return {};
  if (auto reshape = mlir::dyn_cast<graph::ReshapeOp>(op)) {
    const auto match = matchSpaceToDepth(reshape);
    if (!match || shapeOf(match->input)[1] % layout.block != 0) return {};
    return {match->input};
  }
  const bool moves = llvm::TypeSwitch<mlir::Operation*, bool>(op)
                         .Case<graph::ConcatOp, graph::PadOp, graph::SliceOp>(
                             [&](auto move) { return movesWholeBlocks(move, layout); })
                         .Default(false);
  return moves ? llvm::SmallVector<Value>(op->getOperands()) : llvm::SmallVector<Value>();
}

/// pack(move(x, ...)) = move(pack(x), ...) where that saves packing.
class PackOfMove : public mlir::OpRewritePattern<PackOp> {
 public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PackOp pack, mlir::PatternRewriter& rewriter) const override {
    mlir::Operation* move = pack.getInput().getDefiningOp();
    const Layout layout = Layout::of(pack);
    if (mlir::isa_and_nonnull<UnpackOp>(move) || blockOperands(move, layout).empty() ||
        !packsForFree(pack.getInput(), layout)) {
      return mlir::failure();
    }
    const bool joins_unpacked = mlir::isa<graph::ConcatOp>(move) && !move->hasOneUse() &&
                                llvm::all_of(move->getOperands(), [](Value part) {
                                  return part.getDefiningOp<UnpackOp>() != nullptr;
                                });
    if (joins_unpacked) rewriter.setInsertionPoint(move);  // in front of the other users
    llvm::SmallVector<Value> operands;
    for (Value operand : blockOperands(move, layout)) {
      operands.push_back(rewriter.create<PackOp>(
          operand.getLoc(),
          packedType(mlir::cast<RankedTensorType>(operand.getType()), layout.batch, layout.block),
          operand));
    }
    Value moved = moveBlocks(rewriter, move, pack.getType(), operands, layout);
    // Why a group that went back to the host did so is worth more than how it moves now.
    auto reason = move->getAttrOfType<mlir::StringAttr>(kReasonAttr);
    if (reason && reason.getValue() != placement::kMovementReason) {
      moved.getDefiningOp()->setAttr(kReasonAttr, reason);
    }
    rewriter.replaceOp(pack, moved);
    if (joins_unpacked) {
      // Who wants the plain image unpacks what is there, instead of joining it once more.
      rewriter.setInsertionPointAfter(moved.getDefiningOp());
      rewriter.replaceOpWithNewOp<UnpackOp>(move, move->getResult(0).getType(), moved);
    }
    return mlir::success();
  }

 private:
  /// `move` on packed `operands`.
  static Value moveBlocks(mlir::PatternRewriter& rewriter, mlir::Operation* move, mlir::Type type,
                          mlir::ValueRange operands, Layout layout) {
    const mlir::Location loc = move->getLoc();
    const auto units = [&](llvm::ArrayRef<int64_t> plain, int64_t rest) {
      llvm::SmallVector<int64_t> packed;
      for (size_t d = 0; d < 4; ++d) packed.push_back(plain[d] / layout.unit(d));
      packed.append({rest, rest});
      return packed;
    };
    if (auto concat = mlir::dyn_cast<graph::ConcatOp>(move)) {
      return rewriter.create<graph::ConcatOp>(loc, type, operands, concat.getAxis());
    }
    if (auto pad = mlir::dyn_cast<graph::PadOp>(move)) {
      if (fillsLastBlock(pad, layout)) return operands[0];
      return rewriter.create<graph::PadOp>(loc, type, operands[0], units(pad.getLow(), 0),
                                           units(pad.getHigh(), 0), pad.getMode(), pad.getValue());
    }
    if (auto slice = mlir::dyn_cast<graph::SliceOp>(move)) {
      llvm::SmallVector<int64_t> steps(slice.getSteps());
      steps.append({1, 1});
      return rewriter.create<graph::SliceOp>(loc, type, operands[0], units(slice.getStarts(), 0),
                                             steps);
    }
    const SpaceToDepth match = *matchSpaceToDepth(mlir::cast<graph::ReshapeOp>(move));
    return spaceToDepth(rewriter, loc, type, operands[0], match);
  }

  static Value spaceToDepth(mlir::PatternRewriter& rewriter, mlir::Location loc, mlir::Type type,
                            Value packed, const SpaceToDepth& match) {
    const llvm::ArrayRef<int64_t> in = shapeOf(packed);
    const llvm::SmallVector<int64_t> split = {
        in[0], in[1], in[2] / match.rows, match.rows, in[3] / match.cols, match.cols, in[4], in[5]};
    const llvm::SmallVector<int64_t> permutation = {0, 3, 5, 1, 2, 4, 6, 7};
    llvm::SmallVector<int64_t> moved;
    for (int64_t d : permutation) moved.push_back(split[static_cast<size_t>(d)]);
    const mlir::Type element = mlir::getElementTypeOrSelf(type);
    Value value =
        rewriter.create<graph::ReshapeOp>(loc, RankedTensorType::get(split, element), packed);
    value = rewriter.create<graph::TransposeOp>(loc, RankedTensorType::get(moved, element), value,
                                                permutation);
    return rewriter.create<graph::ReshapeOp>(loc, type, value);
  }
};

}  // namespace

bool packsForFree(Value value, PackLayout layout) {
  // Values meet again behind x * f(x): each is looked at once.
  llvm::SetVector<Value> seen;
  seen.insert(value);
  for (size_t i = 0; i < seen.size(); ++i) {
    mlir::Operation* op = seen[i].getDefiningOp();
    if (auto unpack = mlir::dyn_cast_or_null<UnpackOp>(op)) {
      if (Layout::of(unpack.getInput()) == layout) return true;
      continue;
    }
    for (Value operand : blockOperands(op, layout)) seen.insert(operand);
    for (Value operand : elementOperands(op)) seen.insert(operand);
  }
  return false;
}

void populatePackPatterns(mlir::RewritePatternSet& patterns) {
  patterns.add<PackOfReshape, PackOfRoundTrip, MergeReshapes, PackOfMove>(patterns.getContext());
  populatePackElementwisePatterns(patterns);
}

}  // namespace vta::compiler
