#include "compiler/vta/channels/channel_view.h"

#include <numeric>

#include "compiler/dialects/graph/constant_tensor.h"
#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/vta/shape.h"

namespace vta::compiler {

namespace {

using graph::ConstantTensor;
using graph::StridedView;
using mlir::Value;

/// Numbering the elements of larger images would take longer than what it is for.
constexpr int64_t kMaxElements = int64_t{1} << 24;

/// Where `op`, which is no reshape, reads the elements of its result.
StridedView readsOf(mlir::Operation* op) {
  const StridedView input = graph::rowMajor(shapeOf(op->getOperand(0)));
  StridedView view;
  if (auto transpose = mlir::dyn_cast<graph::TransposeOp>(op)) {
    for (int64_t d : transpose.getPermutation()) {
      view.strides.push_back(input.strides[static_cast<size_t>(d)]);
    }
    return view;
  }
  auto slice = mlir::cast<graph::SliceOp>(op);
  for (size_t d = 0; d < input.strides.size(); ++d) {
    view.offset += slice.getStarts()[d] * input.strides[d];
    view.strides.push_back(slice.getSteps()[d] * input.strides[d]);
  }
  return view;
}

mlir::RankedTensorType numbersOf(Value value) {
  return mlir::RankedTensorType::get(shapeOf(value),
                                     mlir::IntegerType::get(value.getContext(), 32));
}

/// For every element of `value`, the number of the element of `root` that is moved there.
std::vector<int64_t> movedElements(Value value, Value root) {
  if (value == root) {
    std::vector<int64_t> all(static_cast<size_t>(numbersOf(root).getNumElements()));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  mlir::Operation* op = value.getDefiningOp();
  std::vector<int64_t> before = movedElements(op->getOperand(0), root);
  if (mlir::isa<graph::ReshapeOp>(op)) return before;
  ConstantTensor from(numbersOf(op->getOperand(0))), to(numbersOf(value));
  from.setIntegers(before);
  graph::copyStrided(from, readsOf(op), to, graph::rowMajor(shapeOf(value)), to.shape());
  return to.asIntegers();
}

bool areImagesOfOneSize(Value a, Value b) {
  const llvm::ArrayRef<int64_t> x = shapeOf(a), y = shapeOf(b);
  return x.size() == 4 && y.size() == 4 && x[0] == y[0] && x[2] == y[2] && x[3] == y[3];
}

/// The channel of `root` that each channel of an image of `shape` with these elements is.
std::optional<std::vector<int64_t>> asChannels(const std::vector<int64_t>& elements,
                                               llvm::ArrayRef<int64_t> shape,
                                               int64_t root_channels) {
  const int64_t channels = shape[1], pixels = shape[2] * shape[3];
  std::vector<int64_t> out;
  for (int64_t c = 0; c < channels; ++c) {
    out.push_back(elements[static_cast<size_t>(c * pixels)] / pixels);
  }
  for (int64_t i = 0; i < static_cast<int64_t>(elements.size()); ++i) {
    const int64_t image = i / (channels * pixels), channel = i / pixels % channels;
    const int64_t from = image * root_channels + out[static_cast<size_t>(channel)];
    if (elements[static_cast<size_t>(i)] != from * pixels + i % pixels) return std::nullopt;
  }
  return out;
}

}  // namespace

bool isMove(mlir::Operation* op) {
  return mlir::isa_and_nonnull<graph::ReshapeOp, graph::TransposeOp, graph::SliceOp>(op);
}

int64_t ChannelView::sourceChannels() const { return shapeOf(source)[1]; }

bool ChannelView::isRange() const {
  for (size_t c = 0; c < channels.size(); ++c) {
    if (channels[c] != channels[0] + static_cast<int64_t>(c)) return false;
  }
  return true;
}

ChannelView viewOfAll(Value image) {
  ChannelView view{image, std::vector<int64_t>(static_cast<size_t>(shapeOf(image)[1]))};
  std::iota(view.channels.begin(), view.channels.end(), 0);
  return view;
}

Value rootOfMoves(Value value) {
  while (isMove(value.getDefiningOp())) value = value.getDefiningOp()->getOperand(0);
  return value;
}

std::optional<ChannelView> traceChannels(Value value) {
  const Value root = rootOfMoves(value);
  if (root == value || !areImagesOfOneSize(value, root)) return std::nullopt;
  if (numbersOf(root).getNumElements() > kMaxElements) return std::nullopt;
  auto channels = asChannels(movedElements(value, root), shapeOf(value), shapeOf(root)[1]);
  if (!channels) return std::nullopt;
  return ChannelView{root, std::move(*channels)};
}

}  // namespace vta::compiler
