// vta-merge-moves: moves of pixels that exporters write in several steps become the one op that
// kernels can store by. A roll is two slices and their concatenation, a tile a reshape, an
// expansion and a reshape, a pixel for all of an image an expansion.
#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/graph/graph_builder.h"
#include "compiler/dialects/graph/shapes.h"
#include "compiler/dialects/vta/shape.h"
#include "compiler/vta/common/hw_pass.h"
#include "compiler/vta/partition/group.h"
#include "compiler/vta/passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace vta::compiler {

#define GEN_PASS_DEF_MERGEMOVESPASS
#include "compiler/vta/passes.h.inc"

namespace {

using graph::Shape;
using mlir::Operation;
using mlir::Value;

/// What is stored around an image that wraps, by axis: negative where it is cropped.
struct Wrap {
  Value input;
  Shape low{0, 0, 0, 0}, high{0, 0, 0, 0};
};

bool isImageOfBytes(Value value) {
  return shapeOf(value).size() == 4 && graph::elementTypeOf(value).isSignlessInteger(8);
}

/// A slice of neighbours along `axis`, with all of the other axes.
bool isPartAlong(graph::SliceOp slice, size_t axis) {
  if (!slice) return false;
  const llvm::ArrayRef<int64_t> from = shapeOf(slice.getInput()), to = shapeOf(slice.getOutput());
  for (size_t d = 0; d < from.size(); ++d) {
    if (slice.getSteps()[d] != 1 || (d != axis && from[d] != to[d])) return false;
  }
  return true;
}

/// The second part of rows or columns in front of the first one.
std::optional<Wrap> matchRoll(graph::ConcatOp concat) {
  const auto axis = static_cast<size_t>(concat.getAxis());
  if (concat.getInputs().size() != 2 || axis < 2) return std::nullopt;
  auto tail = concat.getInputs()[0].getDefiningOp<graph::SliceOp>(),
       head = concat.getInputs()[1].getDefiningOp<graph::SliceOp>();
  if (!isPartAlong(tail, axis) || !isPartAlong(head, axis)) return std::nullopt;
  const int64_t extent = shapeOf(concat.getOutput())[axis], moved = shapeOf(tail.getOutput())[axis];
  if (tail.getInput() != head.getInput() || shapeOf(head.getInput())[axis] != extent ||
      head.getStarts()[axis] != 0 || tail.getStarts()[axis] != extent - moved) {
    return std::nullopt;
  }
  Wrap wrap{head.getInput()};
  wrap.low[axis] = moved;
  wrap.high[axis] = -moved;
  return wrap;
}

/// An image several times below and beside itself.
std::optional<Wrap> matchTile(graph::ReshapeOp merged) {
  auto expand = merged.getInput().getDefiningOp<graph::ExpandOp>();
  auto split = expand ? expand.getInput().getDefiningOp<graph::ReshapeOp>() : graph::ReshapeOp();
  if (!split || !isImageOfBytes(split.getInput())) return std::nullopt;
  const llvm::ArrayRef<int64_t> image = shapeOf(split.getInput()),
                                repeated = shapeOf(expand.getOutput());
  Shape pairs;
  for (const int64_t extent : image) pairs.insert(pairs.end(), {1, extent});
  if (shapeOf(split.getOutput()) != llvm::ArrayRef<int64_t>(pairs) || repeated.size() != 8)
    return std::nullopt;
  Wrap wrap{split.getInput()};
  for (size_t d = 0; d < 4; ++d) {
    const int64_t times = repeated[2 * d];
    if ((d < 2 && times > 1) || repeated[2 * d + 1] != image[d] ||
        shapeOf(merged.getOutput())[d] != times * image[d]) {
      return std::nullopt;
    }
    wrap.high[d] = (times - 1) * image[d];
  }
  return wrap;
}

/// Takes in a wrap of other axes in front.
void joinWrapInFront(Wrap& wrap) {
  auto pad = wrap.input.getDefiningOp<graph::PadOp>();
  if (!pad || pad.getMode() != graph::PadMode::wrap) return;
  for (size_t d = 0; d < 4; ++d) {
    const bool is_here = wrap.low[d] != 0 || wrap.high[d] != 0;
    if (is_here && (pad.getLow()[d] != 0 || pad.getHigh()[d] != 0)) return;
  }
  for (size_t d = 0; d < 4; ++d) {
    wrap.low[d] += pad.getLow()[d];
    wrap.high[d] += pad.getHigh()[d];
  }
  wrap.input = pad.getInput();
}

/// A single row, column or pixel of a kernel for all of an image.
std::optional<Shape> matchRepetition(graph::ExpandOp expand) {
  const Value input = expand.getInput();
  Operation* producer = input.getDefiningOp();
  if (!isImageOfBytes(input) || !producer || !isGroupRoot(producer)) return std::nullopt;
  const llvm::ArrayRef<int64_t> from = shapeOf(input), to = shapeOf(expand.getOutput());
  if (to.size() != 4 || from.take_front(2) != to.take_front(2)) return std::nullopt;
  return Shape{to[2] / from[2], to[3] / from[3]};
}

class MergeMovesPass : public impl::MergeMovesPassBase<MergeMovesPass> {
 public:
  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<mlir::func::FuncOp>("main");
    if (!main) return;
    for (Operation& op : llvm::make_early_inc_range(main.getBody().front())) {
      if (op.getNumResults() != 1 ||
          !mlir::isa<mlir::RankedTensorType>(op.getResult(0).getType()) ||
          !isImageOfBytes(op.getResult(0))) {
        continue;
      }
      if (Operation* merged = mergedMove(&op)) op.replaceAllUsesWith(merged);
    }
    // What was merged must not count as a reader of the image.
    for (Operation& op : llvm::make_early_inc_range(llvm::reverse(main.getBody().front()))) {
      if (mlir::isOpTriviallyDead(&op)) op.erase();
    }
  }

 private:
  static Operation* mergedMove(Operation* op) {
    mlir::OpBuilder builder(op);
    std::optional<Wrap> wrap;
    if (auto concat = mlir::dyn_cast<graph::ConcatOp>(op)) wrap = matchRoll(concat);
    if (auto reshape = mlir::dyn_cast<graph::ReshapeOp>(op)) wrap = matchTile(reshape);
    if (wrap) {
      joinWrapInFront(*wrap);
      return builder.create<graph::PadOp>(op->getLoc(), op->getResult(0).getType(), wrap->input,
                                          wrap->low, wrap->high, graph::PadMode::wrap,
                                          llvm::APFloat(0.0));
    }
    auto expand = mlir::dyn_cast<graph::ExpandOp>(op);
    const std::optional<Shape> block = expand ? matchRepetition(expand) : std::nullopt;
    if (!block) return nullptr;
    return builder.create<graph::InterleaveOp>(op->getLoc(), op->getResult(0).getType(),
                                               expand.getInput(), *block, 1, true);
  }
};

}  // namespace

}  // namespace vta::compiler
