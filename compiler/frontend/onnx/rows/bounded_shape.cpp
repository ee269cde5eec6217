#include "compiler/frontend/onnx/rows/bounded_shape.h"

#include <fmt/format.h>

#include "compiler/frontend/onnx/rows/counting.h"

namespace vta::compiler {

Result<BoundedShape> readBoundedShape(Composer& c, size_t index, std::string_view name) {
  Node& node = c.node();
  VTA_ASSIGN_OR_RETURN(const mlir::Value list, node.input(index, name));
  // Also where it is too long to be a shape, which is an error of its own.
  if (graph::constantOf(list)) {
    VTA_ASSIGN_OR_RETURN(graph::Shape shape, node.integers(index, name));
    return BoundedShape{std::move(shape), std::nullopt};
  }
  VTA_ASSIGN_OR_RETURN(const std::vector<Range> ranges, node.ranges(index, name));
  BoundedShape result;
  for (const Range& range : ranges) {
    const auto axis = static_cast<int64_t>(result.shape.size());
    result.shape.push_back(range.high);
    if (range.isExact()) continue;
    if (!range.hasMost()) {
      return node.hasToBeConstant(index, name, kOrElse);
    }
    if (result.rows) {
      return unsupported(fmt::format("elements {} and {} of '{}' depend on data; one may",
                                     result.rows->axis, axis, name));
    }
    result.rows = RowCount{axis, clampedCount(c, countAt(c, list, axis), range.high)};
  }
  VTA_RETURN_IF_ERROR(c.status());
  return result;
}

}  // namespace vta::compiler
