#include "compiler/vta/channels/take_channels.h"

#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/vta/shape.h"
#include "compiler/dialects/vta/vta.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace vta::compiler {

using mlir::Value;

namespace {

/// Weights of a 1x1 convolution with a single one in each filter.
Value createSelection(mlir::OpBuilder& builder, mlir::Location loc, const ChannelView& view) {
  const auto filters = static_cast<int64_t>(view.channels.size());
  const int64_t channels = view.sourceChannels();
  std::vector<int8_t> weights(static_cast<size_t>(filters * channels));
  for (int64_t o = 0; o < filters; ++o) {
    weights[static_cast<size_t>(o * channels + view.channels[static_cast<size_t>(o)])] = 1;
  }
  const auto shape = mlir::RankedTensorType::get({filters, channels, 1, 1}, builder.getI8Type());
  return builder.create<mlir::arith::ConstantOp>(
      loc, mlir::DenseElementsAttr::get(shape, llvm::ArrayRef<int8_t>(weights)));
}

}  // namespace

Value takeByConvolution(mlir::OpBuilder& builder, Value like, const ChannelView& view) {
  const mlir::Location loc = like.getLoc();
  auto type = mlir::cast<mlir::RankedTensorType>(like.getType());
  const mlir::Type sums = type.clone(builder.getI32Type());
  const llvm::SmallVector<int64_t> ones{1, 1}, zeros{0, 0, 0, 0};
  auto conv =
      builder.create<graph::ConvOp>(loc, sums, view.source, createSelection(builder, loc, view),
                                    mlir::Value(), ones, zeros, ones, 1, 0);
  conv->setAttr(kMacsAttr, builder.getI64IntegerAttr(0));
  auto clip = builder.create<graph::ClipIntOp>(loc, sums, conv, -128, 127);
  auto taken = builder.create<graph::CastOp>(loc, type, clip);
  taken->setDiscardableAttrs(like.getDefiningOp()->getDiscardableAttrDictionary());
  taken->setAttr(graph::kOperatorAttr, builder.getStringAttr("Slice"));
  return taken;
}

Value takeChannels(mlir::OpBuilder& builder, Value like, const ChannelView& view) {
  if (!view.isRange()) return takeByConvolution(builder, like, view);
  if (view.source.getType() == like.getType()) return view.source;
  const llvm::SmallVector<int64_t> starts{0, view.channels[0], 0, 0}, steps{1, 1, 1, 1};
  auto slice =
      builder.create<graph::SliceOp>(like.getLoc(), like.getType(), view.source, starts, steps);
  slice->setDiscardableAttrs(like.getDefiningOp()->getDiscardableAttrDictionary());
  return slice;
}

}  // namespace vta::compiler
