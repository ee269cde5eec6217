// vta-read-whole-blocks: channels that do not begin with a block are taken by reading whole blocks.
//
// A packed tensor has BLOCK_OUT channels in each element, so channels 16 to 31 of a block of 32
// could only be taken apart on the host. A convolution reads the blocks that hold them instead, and
// has zero weights for their other channels: the same sums. For other operations a convolution with
// a single one in each filter takes the channels out.
#include "base/integer_math.h"
#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/graph/work.h"
#include "compiler/dialects/vta/shape.h"
#include "compiler/dialects/vta/vta.h"
#include "compiler/vta/channels/channel_constants.h"
#include "compiler/vta/channels/take_channels.h"
#include "compiler/vta/common/constants.h"
#include "compiler/vta/common/data_movement.h"
#include "compiler/vta/common/hw_pass.h"
#include "compiler/vta/passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace vta::compiler {

#define GEN_PASS_DEF_READWHOLEBLOCKSPASS
#include "compiler/vta/passes.h.inc"

namespace {

/// Channels [first, end) of a tensor.
struct ChannelRange {
  int64_t first = 0, end = 0;
  int64_t size() const { return end - first; }
};

/// The channels that `slice` takes; none if it leaves out anything else, or takes steps.
std::optional<ChannelRange> slicedChannels(graph::SliceOp slice) {
  const llvm::ArrayRef<int64_t> from = shapeOf(slice.getInput()), to = shapeOf(slice.getOutput());
  if (from.size() != 4) return std::nullopt;
  for (size_t d = 0; d < from.size(); ++d) {
    if (slice.getSteps()[d] != 1 || (d != 1 && from[d] != to[d])) return std::nullopt;
  }
  return ChannelRange{slice.getStarts()[1], slice.getStarts()[1] + to[1]};
}

/// A convolution whose weights may get more input channels.
bool takesMoreChannels(mlir::Operation* op) {
  auto conv = mlir::dyn_cast<graph::ConvOp>(op);
  return conv && graph::isIntegerContraction(conv) && conv.getGroup() == 1 &&
         readBytes(conv.getWeight());
}

mlir::Value takeChannelRange(mlir::OpBuilder& builder, graph::SliceOp slice, ChannelRange whole) {
  const llvm::ArrayRef<int64_t> from = shapeOf(slice.getInput());
  if (whole.size() == from[1]) return slice.getInput();
  llvm::SmallVector<int64_t> shape(from), starts(from.size(), 0);
  shape[1] = whole.size();
  starts[1] = whole.first;
  auto type = mlir::cast<mlir::RankedTensorType>(slice.getType()).clone(shape);
  auto wide = builder.create<graph::SliceOp>(slice.getLoc(), type, slice.getInput(), starts,
                                             slice.getSteps());
  wide->setDiscardableAttrs(slice->getDiscardableAttrDictionary());
  return wide;
}

/// The channels `part` of the blocks around them.
ChannelView viewOfBlocks(mlir::OpBuilder& builder, graph::SliceOp slice, ChannelRange part,
                         ChannelRange whole) {
  ChannelView view{takeChannelRange(builder, slice, whole), {}};
  for (int64_t c = part.first; c < part.end; ++c) view.channels.push_back(c - whole.first);
  return view;
}

void readWholeBlocks(graph::ConvOp op, graph::SliceOp slice, ChannelRange part,
                     ChannelRange whole) {
  mlir::OpBuilder builder(op);
  const ChannelView view = viewOfBlocks(builder, slice, part, whole);
  mlir::Value weight =
      placeChannels(builder, op.getWeight(), 1, {view.channels, view.sourceChannels()});
  auto conv = builder.create<graph::ConvOp>(op.getLoc(), op.getType(), view.source, weight,
                                            op.getBias(), op.getStrides(), op.getPads(),
                                            op.getDilations(), 1, op.getPadValue());
  conv->setAttr(kMacsAttr, builder.getI64IntegerAttr(graph::countMacs(op)));
  op.replaceAllUsesWith(conv.getOperation());
  op.erase();
}

/// True for what reads a slice on the accelerator, so that the host need not make it.
bool readsOnAccelerator(mlir::Operation* op) {
  auto conv = mlir::dyn_cast<graph::ConvOp>(op);
  if (conv) return graph::isIntegerContraction(conv);
  return mlir::isa<graph::CastOp, graph::ConcatOp>(op) || op->hasAttr(kAnyValueAttr);
}

/// The channels `part` by a convolution of the blocks around them.
void takeFromBlocks(graph::SliceOp slice, ChannelRange part, ChannelRange whole) {
  mlir::OpBuilder builder(slice);
  slice.replaceAllUsesWith(
      takeByConvolution(builder, slice, viewOfBlocks(builder, slice, part, whole)));
}

class ReadWholeBlocksPass : public HwPass<impl::ReadWholeBlocksPassBase<ReadWholeBlocksPass>> {
 public:
  using HwPass::HwPass;

  void runOnOperation() override {
    llvm::SmallVector<graph::SliceOp> slices;
    getOperation().walk([&](graph::SliceOp op) { slices.push_back(op); });
    for (graph::SliceOp slice : slices) {
      const std::optional<ChannelRange> part = slicedChannels(slice);
      const bool is_within_block = part && part->first % block() != 0;
      if (!is_within_block || slice->use_empty() || comesFromHost(slice.getInput())) continue;
      const ChannelRange whole = around(*part, shapeOf(slice.getInput())[1]);
      if (llvm::all_of(slice->getUsers(), takesMoreChannels)) {
        for (mlir::Operation* user : llvm::make_early_inc_range(slice->getUsers())) {
          readWholeBlocks(mlir::cast<graph::ConvOp>(user), slice, *part, whole);
        }
      } else if (isForAccelerator(slice)) {
        takeFromBlocks(slice, *part, whole);
      } else {
        continue;
      }
      slice.erase();
    }
  }

 private:
  /// Channels that lie together in what kernels write and read.
  int64_t block() const { return std::max<int64_t>(hw_.blockIn(), hw_.blockOut()); }

  /// If anything else reads the slice, the host makes it in any case. It makes concatenations as
  /// well as slices, so those alone are not worth a kernel.
  static bool isForAccelerator(graph::SliceOp slice) {
    return llvm::all_of(slice->getUsers(), readsOnAccelerator) &&
           !llvm::all_of(slice->getUsers(), llvm::IsaPred<graph::ConcatOp>);
  }

  /// The channels of all blocks, of `channels` in all, that `part` has some of.
  ChannelRange around(ChannelRange part, int64_t channels) const {
    return {part.first / block() * block(),
            std::min(channels, ceilDiv(part.end, block()) * block())};
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> createReadWholeBlocksPass(const HwConfig& hw) {
  return std::make_unique<ReadWholeBlocksPass>(hw);
}

}  // namespace vta::compiler
