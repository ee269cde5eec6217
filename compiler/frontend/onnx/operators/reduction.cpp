// The Reduce family.
#include <numeric>

#include "compiler/frontend/onnx/op_table.h"

namespace vta::compiler {
namespace {

using graph::ReduceKind;
using graph::Shape;
using mlir::Value;

/// The opset in which `axes` became an input.
template <ReduceKind kind>
constexpr int64_t kAxesInputSince = kind == ReduceKind::sum ? 13 : 18;

template <ReduceKind kind>
Status importReduce(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "data"));
  int64_t rank = std::ssize(graph::shapeOf(input));
  Shape axes;
  if (node.opset() < kAxesInputSince<kind>) {
    axes = node.integerList("axes").value_or(Shape());
  } else if (node.hasInput(1)) {
    VTA_ASSIGN_OR_RETURN(axes, node.integers(1, "axes"));
  }
  if (axes.empty()) {
    if (node.integer("noop_with_empty_axes", 0)) return node.finish(input);
    axes.resize(rank);
    std::iota(axes.begin(), axes.end(), 0);
  }
  VTA_ASSIGN_OR_RETURN(axes, normalizeAxes(std::move(axes), rank));
  return node.finish(node.build().reduce(kind, input, axes, node.integer("keepdims", 1) != 0));
}

}  // namespace

std::span<const OpEntry> reductionOps() {
  static constexpr OpEntry kOps[] = {
      {"ReduceL1", 1, kLatest, importReduce<ReduceKind::l1>},
      {"ReduceL2", 1, kLatest, importReduce<ReduceKind::l2>},
      {"ReduceLogSum", 1, kLatest, importReduce<ReduceKind::log_sum>},
      {"ReduceLogSumExp", 1, kLatest, importReduce<ReduceKind::log_sum_exp>},
      {"ReduceMax", 1, kLatest, importReduce<ReduceKind::max>},
      {"ReduceMean", 1, kLatest, importReduce<ReduceKind::mean>},
      {"ReduceMin", 1, kLatest, importReduce<ReduceKind::min>},
      {"ReduceProd", 1, kLatest, importReduce<ReduceKind::prod>},
      {"ReduceSum", 1, kLatest, importReduce<ReduceKind::sum>},
      {"ReduceSumSquare", 1, kLatest, importReduce<ReduceKind::sum_square>},
  };
  return kOps;
}

}  // namespace vta::compiler
