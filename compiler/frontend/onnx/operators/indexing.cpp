// Slice and Gather.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "compiler/frontend/onnx/op_table.h"
#include "compiler/frontend/onnx/rows/checked_indices.h"
#include "compiler/frontend/onnx/rows/counting.h"

namespace vta::compiler {
namespace {

using graph::Shape;
using graph::ShapeRef;
using mlir::Value;

/// Starts and ends may be computed, and have no exact range then.
struct SliceLists {
  std::vector<Range> starts, ends;
  Shape axes, steps;
};

std::vector<Range> exactly(const Shape& values) {
  std::vector<Range> ranges;
  for (const int64_t value : values) ranges.push_back(Range::exactly(value));
  return ranges;
}

/// Attributes before opset 10, inputs since, and for DynamicSlice, which was an experiment.
Result<SliceLists> readSlice(Node& node) {
  SliceLists lists;
  std::optional<Shape> axes, steps;
  if (node.opset() < 10 && node.opType() != "DynamicSlice") {
    lists.starts = exactly(node.integerList("starts").value_or(Shape()));
    lists.ends = exactly(node.integerList("ends").value_or(Shape()));
    axes = node.integerList("axes");
  } else {
    VTA_ASSIGN_OR_RETURN(lists.starts, node.ranges(1, "starts"));
    VTA_ASSIGN_OR_RETURN(lists.ends, node.ranges(2, "ends"));
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

/// `indices` counted from the front of the `valid` positions.
Value fromFront(Composer& c, Value indices, Value valid) {
  indices = c.cast(indices, c.node().ir().getI64Type());
  const Value is_negative = c.less(indices, c.numberLike(0, indices));
  return c.where(is_negative, c.add(indices, valid), indices);
}

/// A slice along one axis of which start and end are computed, or count from the end of a part
/// that is: element k of list input `list` is its start, of the next one its end.
struct ComputedSlice {
  int64_t axis = -1, step = 1;
  size_t element = 0;
  Range start, end;
};

/// Where a slice starts or ends: input `list`'s element, from the front of `valid` positions.
Value sliceEdge(Composer& c, size_t list, const ComputedSlice& slice, const Range& range,
                Value valid) {
  Value edge;
  if (range.isExact()) {
    edge = countOf(c, range.low);
  } else {
    edge = countAt(c, c.input(list, "starts or ends"), static_cast<int64_t>(slice.element));
  }
  edge = c.max(fromFront(c, edge, valid), countOf(c, 0));
  return c.min(edge, valid);
}

/// The error for what a slice may not get at run time: its start, its end, or the size of its
/// input.
Status mayNotDependOnData(Node& node, const ComputedSlice& slice, std::string_view or_else) {
  if (!slice.start.isExact()) return node.hasToBeConstant(1, "starts", or_else);
  if (!slice.end.isExact()) return node.hasToBeConstant(2, "ends", or_else);
  return unsupported("the size of what it slices may not depend on data" + std::string(or_else));
}

Status finishComputedSlice(Composer& c, Value input, const ComputedSlice& slice) {
  Node& node = c.node();
  if (slice.step < 1) return mayNotDependOnData(node, slice, ", except forwards");
  const int64_t extent = c.shape(input)[slice.axis];
  const RowCount* rows = node.rowCount(input);
  if (rows != nullptr && rows->axis != slice.axis) {
    return unsupported("two dimensions of its result would have sizes that depend on data");
  }
  const Value valid = rows != nullptr ? rows->count : countOf(c, extent);
  const Value start = sliceEdge(c, 1, slice, slice.start, valid);
  const Value end = sliceEdge(c, 2, slice, slice.end, valid);
  // (end - start) / step, rounded up
  const Value distance = c.add(c.sub(end, start), countOf(c, slice.step - 1));
  int64_t most = (extent + slice.step - 1) / slice.step;
  const bool ends_early = slice.end.low >= 0 && slice.start.low >= 0;
  if (ends_early) {
    const int64_t longest = std::min(slice.end.high, extent) - std::min(slice.start.low, extent);
    most = std::max<int64_t>((longest + slice.step - 1) / slice.step, 0);
  }
  const Value count = clampedCount(c, c.div(distance, countOf(c, slice.step)), most);
  const Value steps =
      c.mul(c.positions(most, 0, 1, node.ir().getI64Type()), countOf(c, slice.step));
  const Value output = c.gather(input, c.add(steps, start), slice.axis);
  return finishCounted(c, output, {slice.axis, count});
}

Status importSlice(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "data"));
  VTA_ASSIGN_OR_RETURN(SliceLists lists, readSlice(node));
  const RowCount* rows = node.rowCount(input);
  ShapeRef shape = graph::shapeOf(input);
  Shape starts(shape.size(), 0), steps(shape.size(), 1), extents(shape.begin(), shape.end());
  std::optional<ComputedSlice> computed;
  for (size_t i = 0; i < lists.axes.size(); ++i) {
    VTA_ASSIGN_OR_RETURN(int64_t axis, normalizeAxis(lists.axes[i], std::ssize(shape)));
    int64_t extent = shape[axis], step = lists.steps[i];
    if (step == 0) return invalidArgument("a step is 0");
    const bool is_exact = lists.starts[i].isExact() && lists.ends[i].isExact();
    if (!is_exact || (rows != nullptr && rows->axis == axis)) {
      const bool is_second = computed.has_value();
      computed = ComputedSlice{axis, step, i, lists.starts[i], lists.ends[i]};
      if (is_second) return mayNotDependOnData(node, *computed, ", except in one dimension");
      continue;
    }
    bool forward = step > 0;
    int64_t start = clampIndex(lists.starts[i].low, extent, 0, forward ? extent : extent - 1);
    int64_t end = clampIndex(lists.ends[i].low, extent, forward ? 0 : -1, extent);
    int64_t distance = forward ? end - start : start - end;
    // Steps as long as the tensor or longer select one element.
    int64_t stride =
        std::clamp<int64_t>(step, -std::max<int64_t>(extent, 1), std::max<int64_t>(extent, 1));
    starts[axis] = start;
    steps[axis] = stride;
    extents[axis] = distance <= 0 ? 0 : (distance - 1) / std::abs(stride) + 1;
  }
  VTA_ASSIGN_OR_RETURN(Value part, node.build().slice(input, starts, steps, extents));
  Composer c(node);
  if (rows != nullptr && part != input) node.setRowCount(part, RowCount(*rows));
  if (computed) return finishComputedSlice(c, part, *computed);
  return c.finish(part);
}

Status importGather(Node& node) {
  Composer c(node);
  const Value input = c.input(0, "data");
  const int64_t axis = c.axis(node.integer("axis", 0), c.rank(input));
  if (!c.ok()) return c.status();
  Value indices = checkedIndices(c, c.input(1, "indices"), {c.shape(input)[axis]});
  if (!c.ok()) return c.status();
  const RowCount* rows = node.rowCount(input);
  const RowCount* picked = node.rowCount(indices);
  std::optional<RowCount> result;
  if (picked != nullptr) result = RowCount{axis + picked->axis, picked->count};
  if (rows != nullptr && rows->axis == axis) indices = fromFront(c, indices, rows->count);
  if (rows != nullptr && rows->axis != axis) {
    if (picked != nullptr) {
      return unsupported("two dimensions of its result would have sizes that depend on data");
    }
    const int64_t added = rows->axis > axis ? c.rank(indices) - 1 : 0;
    result = RowCount{rows->axis + added, rows->count};
  }
  const Value output = c.gather(input, indices, axis);
  return result ? finishCounted(c, output, *result) : c.finish(output);
}

}  // namespace

std::span<const OpEntry> indexingOps() {
  static constexpr OpEntry kOps[] = {
      {"DynamicSlice", 1, kLatest, importSlice},
      {"Gather", 1, kLatest, importGather},
      {"Slice", 1, kLatest, importSlice},
  };
  return kOps;
}

}  // namespace vta::compiler
