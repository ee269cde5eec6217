#include "compiler/frontend/onnx/operators/layout.h"

#include <fmt/format.h>

#include <numeric>

#include "compiler/dialects/graph/graph.h"

namespace vta::compiler {
namespace {

using graph::Shape;
using mlir::Value;

Shape channelsFirstOrder(int64_t rank) {
  Shape order(rank);
  std::iota(order.begin(), order.end(), int64_t{-1});
  order[0] = 0;
  order[1] = rank - 1;
  return order;
}

Shape channelsLastOrder(int64_t rank) {
  Shape order(rank);
  std::iota(order.begin(), order.end(), int64_t{1});
  order[0] = 0;
  order[rank - 1] = 1;
  return order;
}

Value reordered(Composer& c, Value image, Shape (*orderOf)(int64_t)) {
  const int64_t rank = c.rank(image);
  if (!c.ok()) return {};
  if (rank < 3) {
    c.fail(invalidArgument("expects an image with channels last, of three dimensions or more"));
    return {};
  }
  return c.transpose(image, orderOf(rank));
}

}  // namespace

Value withChannelsFirst(Composer& c, Value image) {
  if (!c.ok() || !image) return {};
  if (auto transpose = image.getDefiningOp<graph::TransposeOp>()) {
    const auto permutation = transpose.getPermutation();
    if (permutation.size() >= 3 &&
        permutation == llvm::ArrayRef<int64_t>(channelsLastOrder(std::ssize(permutation)))) {
      return transpose.getInput();
    }
  }
  return reordered(c, image, channelsFirstOrder);
}

Value withChannelsLast(Composer& c, Value image) { return reordered(c, image, channelsLastOrder); }

Status importWithChannelsLast(Node& node, ImportFunction import,
                              std::initializer_list<size_t> images) {
  Composer c(node);
  for (const size_t index : images) {
    if (const Value image = c.optional(index)) {
      node.replaceInput(index, withChannelsFirst(c, image));
    }
  }
  if (!c.ok()) return c.status();
  VTA_RETURN_IF_ERROR(import(node));
  if (node.outputs().empty() || !node.outputs()[0]) return {};
  if (node.isOutputUsed(1)) {
    return unsupported("a second output of an operator with channels last is not supported");
  }
  return c.finish(withChannelsLast(c, node.outputs()[0]));
}

namespace {

/// An operator of ONNX's own domain whose first input and output have channels last.
Status importNhwcOperator(Node& node) {
  const OpEntry* entry = findOp("", node.opType(), node.opset());
  if (entry == nullptr) {
    return unsupported(fmt::format("there is no such operator in opset {}", node.opset()));
  }
  return importWithChannelsLast(node, entry->import);
}

}  // namespace

std::span<const OpEntry> nhwcOps() {
  static constexpr OpEntry kOps[] = {
      {"AveragePool", 1, kLatest, importNhwcOperator},
      {"BatchNormalization", 1, kLatest, importNhwcOperator},
      {"Conv", 1, kLatest, importNhwcOperator},
      {"ConvTranspose", 1, kLatest, importNhwcOperator},
      {"DepthToSpace", 1, kLatest, importNhwcOperator},
      {"GlobalAveragePool", 1, kLatest, importNhwcOperator},
      {"GlobalMaxPool", 1, kLatest, importNhwcOperator},
      {"InstanceNormalization", 1, kLatest, importNhwcOperator},
      {"LRN", 1, kLatest, importNhwcOperator},
      {"LpPool", 1, kLatest, importNhwcOperator},
      {"MaxPool", 1, kLatest, importNhwcOperator},
      {"QLinearConv", 1, kLatest, importNhwcOperator},
      {"SpaceToDepth", 1, kLatest, importNhwcOperator},
  };
  return kOps;
}

}  // namespace vta::compiler
