#include "compiler/frontend/onnx/rows/concat.h"

#include <fmt/format.h>

#include <optional>

#include "compiler/frontend/onnx/rows/counting.h"

namespace vta::compiler {

using graph::Shape;
using mlir::Value;

namespace {

/// Along the counted axis: the valid part of each input follows the valid part of the one in front.
Status joinParts(Composer& c, const std::vector<Value>& inputs, int64_t axis) {
  Node& node = c.node();
  const Value joined = c.concat(inputs, axis);
  if (!c.ok()) return c.status();
  const int64_t extent = c.shape(joined)[axis];
  // Result p comes from p, and from so much further behind as there is room left in the parts that
  // end in front of it.
  const Value positions = c.positions(extent, 0, 1, node.ir().getI64Type());
  Value sources = positions, end = countOf(c, 0);
  for (const Value input : inputs) {
    const RowCount* rows = node.rowCount(input);
    const int64_t room = c.shape(input)[axis];
    end = c.add(end, rows != nullptr ? rows->count : countOf(c, room));
    if (rows == nullptr) continue;
    const Value left = c.sub(countOf(c, room), rows->count);
    const Value is_behind = c.binary(graph::BinaryKind::greater_equal, positions, end);
    sources = c.add(sources, c.where(is_behind, left, countOf(c, 0)));
  }
  const Value count = clampedCount(c, end, extent);
  return finishCounted(c, c.gather(joined, sources, axis), {axis, count});
}

}  // namespace

Status concatCounted(Composer& c, const std::vector<Value>& inputs, int64_t axis) {
  Node& node = c.node();
  std::optional<RowCount> common;
  size_t first = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const RowCount* rows = node.rowCount(inputs[i]);
    if (rows == nullptr) continue;
    if (!common) {
      common = *rows;
      first = i;
    }
    const bool fits = rows->axis == common->axis &&
                      (rows->axis == axis || isSameCount(rows->count, common->count));
    if (fits) continue;
    return unsupported(dependsOnData(first, *common) + ", and " + dependsOnData(i, *rows) +
                       ", which may be another number");
  }
  if (common->axis == axis) return joinParts(c, inputs, axis);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (node.rowCount(inputs[i]) != nullptr) continue;
    return unsupported(
        fmt::format("{}, but the one of input {} does not", dependsOnData(first, *common), i));
  }
  return finishCounted(c, c.concat(inputs, axis), *common);
}

}  // namespace vta::compiler
