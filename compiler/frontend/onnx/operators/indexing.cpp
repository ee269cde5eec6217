// Slice and Gather.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "compiler/frontend/onnx/op_table.h"

namespace vta::compiler {
namespace {

using graph::Shape;
using graph::ShapeRef;
using mlir::Value;

struct SliceLists {
  Shape starts, ends, axes, steps;
};

/// Attributes before opset 10, inputs since.
Result<SliceLists> readSlice(Node& node) {
  SliceLists lists;
  std::optional<Shape> axes, steps;
  if (node.opset() < 10) {
    lists.starts = node.integerList("starts").value_or(Shape());
    lists.ends = node.integerList("ends").value_or(Shape());
    axes = node.integerList("axes");
  } else {
    VTA_ASSIGN_OR_RETURN(lists.starts, node.integers(1, "starts"));
    VTA_ASSIGN_OR_RETURN(lists.ends, node.integers(2, "ends"));
    if (node.hasInput(3)) {
      VTA_ASSIGN_OR_RETURN(axes, node.integers(3, "axes"));
    }
    if (node.hasInput(4)) {
      VTA_ASSIGN_OR_RETURN(steps, node.integers(4, "steps"));
    }
  }
  size_t count = lists.starts.size();
  Shape all(count);
  std::iota(all.begin(), all.end(), 0);
  lists.axes = axes.value_or(all);
  lists.steps = steps.value_or(Shape(count, 1));
  if (lists.ends.size() != count || lists.axes.size() != count || lists.steps.size() != count) {
    return invalidArgument(fmt::format("{} starts, {} ends, {} axes and {} steps", count,
                                       lists.ends.size(), lists.axes.size(), lists.steps.size()));
  }
  return lists;
}

/// `value` + `extent` for negative values, clamped; extreme values mean "as far as possible".
int64_t clampIndex(int64_t value, int64_t extent, int64_t low, int64_t high) {
  if (value < 0) value = value < -extent ? -1 : value + extent;
  return std::clamp(value, low, high);
}

Status importSlice(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "data"));
  VTA_ASSIGN_OR_RETURN(SliceLists lists, readSlice(node));
  ShapeRef shape = graph::shapeOf(input);
  Shape starts(shape.size(), 0), steps(shape.size(), 1), extents(shape.begin(), shape.end());
  for (size_t i = 0; i < lists.axes.size(); ++i) {
    VTA_ASSIGN_OR_RETURN(int64_t axis, normalizeAxis(lists.axes[i], std::ssize(shape)));
    int64_t extent = shape[axis], step = lists.steps[i];
    if (step == 0) return invalidArgument("a step is 0");
    bool forward = step > 0;
    int64_t start = clampIndex(lists.starts[i], extent, 0, forward ? extent : extent - 1);
    int64_t end = clampIndex(lists.ends[i], extent, forward ? 0 : -1, extent);
    int64_t distance = forward ? end - start : start - end;
    // Steps as long as the tensor or longer select one element.
    int64_t stride =
        std::clamp<int64_t>(step, -std::max<int64_t>(extent, 1), std::max<int64_t>(extent, 1));
    starts[axis] = start;
    steps[axis] = stride;
    extents[axis] = distance <= 0 ? 0 : (distance - 1) / std::abs(stride) + 1;
  }
  return node.finish(node.build().slice(input, starts, steps, extents));
}

Status importGather(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "data"));
  VTA_ASSIGN_OR_RETURN(Value indices, node.input(1, "indices"));
  VTA_ASSIGN_OR_RETURN(int64_t axis,
                       normalizeAxis(node.integer("axis", 0), std::ssize(graph::shapeOf(input))));
  return node.finish(node.build().gather(input, indices, axis));
}

}  // namespace

std::span<const OpEntry> indexingOps() {
  static constexpr OpEntry kOps[] = {
      {"Gather", 1, kLatest, importGather},
      {"Slice", 1, kLatest, importSlice},
  };
  return kOps;
}

}  // namespace vta::compiler
