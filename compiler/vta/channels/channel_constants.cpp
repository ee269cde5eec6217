#include "compiler/vta/channels/channel_constants.h"

#include "compiler/dialects/graph/constant_tensor.h"
#include "compiler/dialects/graph/graph_builder.h"
#include "compiler/dialects/graph/shapes.h"
#include "compiler/dialects/vta/shape.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace vta::compiler {

namespace {

using graph::ConstantTensor;
using mlir::Value;

Value createConstant(mlir::OpBuilder& builder, Value like, const ConstantTensor& tensor) {
  return builder.create<mlir::arith::ConstantOp>(like.getLoc(), tensor.toAttribute());
}

mlir::RankedTensorType shapedLike(Value value, llvm::ArrayRef<int64_t> shape) {
  return mlir::cast<mlir::RankedTensorType>(value.getType()).clone(shape);
}

}  // namespace

Value placeChannels(mlir::OpBuilder& builder, Value value, int64_t axis, ChannelPlaces to) {
  const std::vector<int64_t> from = ConstantTensor(graph::constantOf(value)).asIntegers();
  llvm::SmallVector<int64_t> shape(shapeOf(value));
  const auto d = static_cast<size_t>(axis);
  const int64_t channels = shape[d],
                outer = graph::elementCount(llvm::ArrayRef(shape).take_front(d)),
                inner = graph::elementCount(llvm::ArrayRef(shape).drop_front(d + 1));
  shape[d] = to.count;
  std::vector<int64_t> placed(static_cast<size_t>(outer * to.count * inner));
  for (int64_t i = 0; i < outer * channels * inner; ++i) {
    const int64_t channel = to.places[static_cast<size_t>(i / inner % channels)];
    const int64_t row = i / (inner * channels) * to.count + channel;
    placed[static_cast<size_t>(row * inner + i % inner)] = from[static_cast<size_t>(i)];
  }
  ConstantTensor out(shapedLike(value, shape));
  out.setIntegers(placed);
  return createConstant(builder, value, out);
}

Value placeParameters(mlir::OpBuilder& builder, Value value, ChannelPlaces to) {
  // Of an image [N, C, H, W], dimensions align from the last one on.
  const int64_t axis = static_cast<int64_t>(shapeOf(value).size()) - 3;
  if (axis < 0 || shapeOf(value)[static_cast<size_t>(axis)] == 1) return value;
  return placeChannels(builder, value, axis, to);
}

Value ungroupWeights(mlir::OpBuilder& builder, Value weights, int64_t group) {
  const std::vector<int64_t> from = ConstantTensor(graph::constantOf(weights)).asIntegers();
  llvm::SmallVector<int64_t> shape(shapeOf(weights));
  const int64_t filters = shape[0], slice = graph::elementCount(llvm::ArrayRef(shape).drop_front());
  shape[1] *= group;
  std::vector<int64_t> dense(static_cast<size_t>(filters * slice * group));
  for (int64_t o = 0; o < filters; ++o) {
    const int64_t of_group = o / (filters / group);
    std::copy_n(from.begin() + o * slice, slice, dense.begin() + (o * group + of_group) * slice);
  }
  ConstantTensor out(shapedLike(weights, shape));
  out.setIntegers(dense);
  return createConstant(builder, weights, out);
}

}  // namespace vta::compiler
