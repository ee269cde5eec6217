// Operators that keep the elements and change the shape: Reshape, Flatten, Squeeze, Unsqueeze,
// Expand, Tile, and Shape and Size themselves.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/frontend/onnx/op_table.h"
#include "compiler/frontend/onnx/rows/bounded_shape.h"
#include "compiler/frontend/onnx/rows/counting.h"

namespace vta::compiler {
namespace {

using graph::Shape;
using graph::ShapeRef;
using mlir::Value;

/// 0 copies the input's extent (unless `allow_zero`), -1 is what is left.
Result<Shape> resolveReshape(ShapeRef input, Shape wanted, bool allow_zero) {
  int64_t inferred = -1;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] == 0 && !allow_zero) {
      if (i >= input.size()) {
        return invalidArgument(fmt::format("dimension {} of {} copies a dimension that {} lacks", i,
                                           graph::shapeText(wanted), graph::shapeText(input)));
      }
      wanted[i] = input[i];
    } else if (wanted[i] == -1 && inferred < 0) {
      inferred = static_cast<int64_t>(i);
    } else if (wanted[i] < 0) {
      return invalidArgument("illegal shape " + graph::shapeText(wanted));
    }
  }
  int64_t count = graph::elementCount(input);
  if (inferred < 0) {
    if (graph::elementCount(wanted) == count) return wanted;
  } else {
    wanted[inferred] = 1;
    int64_t rest = graph::elementCount(wanted);
    wanted[inferred] = rest > 0 ? count / rest : -1;
    if (rest > 0 && count % rest == 0) return wanted;
  }
  return invalidArgument(fmt::format("{} elements of shape {} do not fit {}", count,
                                     graph::shapeText(input), graph::shapeText(wanted)));
}

/// The wanted shape. An extent that is computed is what the others leave, if it is the only one.
Result<Shape> readWantedShape(Node& node, bool is_counted) {
  if (node.opset() < 5) return node.integerList("shape").value_or(Shape());
  if (!is_counted) return node.integers(1, "shape");
  VTA_ASSIGN_OR_RETURN(const std::vector<Range> ranges, node.ranges(1, "shape"));
  Shape wanted;
  for (const Range& range : ranges) wanted.push_back(range.isExact() ? range.low : -1);
  if (std::ranges::count(wanted, -1) <= 1 && !wanted.empty()) return wanted;
  return unsupported("more than one extent of its shape depends on data");
}

/// Stores `input` in another shape as output 0. Its valid entries have to stay together: those in
/// front of their dimension have the same extents, or none.
Status finishReshape(Node& node, Value input, const Shape& shape) {
  VTA_ASSIGN_OR_RETURN(const Value output, node.build().reshape(input, shape));
  const RowCount* rows = node.rowCount(input);
  node.setOutput(0, output);
  if (rows == nullptr) return {};
  const ShapeRef from = graph::shapeOf(input);
  const int64_t outer = graph::elementCount(from.first(rows->axis));
  const int64_t inner = graph::elementCount(from.subspan(rows->axis + 1));
  int64_t axis = 0, in_front = 1;
  // Extents of 1 in front are skipped, unless they are all there is.
  while (axis + 1 < std::ssize(shape) && (in_front < outer || shape[axis] == 1)) {
    in_front *= shape[axis++];
  }
  const int64_t behind =
      axis < std::ssize(shape) ? graph::elementCount(ShapeRef(shape).subspan(axis + 1)) : 1;
  const bool fits = !shape.empty() && in_front == outer && behind > 0 && inner > 0 &&
                    (inner % behind == 0 || behind % inner == 0);
  if (!fits) {
    return unsupported(fmt::format("{}, and shape {} would tear them apart",
                                   dependsOnData(0, *rows), graph::shapeText(shape)));
  }
  Composer c(node);
  RowCount result{axis, rows->count};
  if (inner > behind) result.count = c.mul(rows->count, countOf(c, inner / behind));
  if (behind > inner) result.count = c.div(rows->count, countOf(c, behind / inner));
  VTA_RETURN_IF_ERROR(c.status());
  node.setRowCount(output, result);
  return {};
}

Status importReshape(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "data"));
  VTA_ASSIGN_OR_RETURN(Shape wanted, readWantedShape(node, node.rowCount(input) != nullptr));
  VTA_ASSIGN_OR_RETURN(Shape shape, resolveReshape(graph::shapeOf(input), std::move(wanted),
                                                   node.integer("allowzero", 0) != 0));
  return finishReshape(node, input, shape);
}

Status importFlatten(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "input"));
  ShapeRef shape = graph::shapeOf(input);
  int64_t axis = node.integer("axis", 1), rank = std::ssize(shape);
  if (axis != rank) {
    VTA_ASSIGN_OR_RETURN(axis, normalizeAxis(axis, rank));
  }
  return finishReshape(
      node, input,
      Shape{graph::elementCount(shape.first(axis)), graph::elementCount(shape.subspan(axis))});
}

/// `axes` as an attribute before opset 13, as an input since; nothing if absent.
Result<std::optional<Shape>> readAxes(Node& node) {
  if (node.opset() < 13) return node.integerList("axes");
  if (!node.hasInput(1)) return std::optional<Shape>();
  VTA_ASSIGN_OR_RETURN(Shape axes, node.integers(1, "axes"));
  return std::optional<Shape>(std::move(axes));
}

Status importSqueeze(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "data"));
  VTA_ASSIGN_OR_RETURN(std::optional<Shape> listed, readAxes(node));
  ShapeRef shape = graph::shapeOf(input);
  Shape axes;
  if (listed) {
    VTA_ASSIGN_OR_RETURN(axes, normalizeAxes(*listed, std::ssize(shape)));
  }
  Shape result;
  for (int64_t i = 0; i < std::ssize(shape); ++i) {
    bool removed = listed ? std::ranges::binary_search(axes, i) : shape[i] == 1;
    if (!removed) result.push_back(shape[i]);
    if (removed && shape[i] != 1) {
      return invalidArgument(
          fmt::format("dimension {} of {} is not 1", i, graph::shapeText(shape)));
    }
  }
  return node.finish(node.build().reshape(input, result));
}

Status importUnsqueeze(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "data"));
  VTA_ASSIGN_OR_RETURN(std::optional<Shape> listed, readAxes(node));
  if (!listed) return invalidArgument("'axes' is missing");
  ShapeRef shape = graph::shapeOf(input);
  size_t rank = shape.size() + listed->size();
  VTA_ASSIGN_OR_RETURN(Shape axes, normalizeAxes(*listed, static_cast<int64_t>(rank)));
  Shape result(shape.begin(), shape.end());
  for (int64_t axis : axes) result.insert(result.begin() + axis, 1);
  return node.finish(node.build().reshape(input, result));
}

/// Broadcasts both ways: an extent of 1 in the wanted shape keeps the input's.
Status importExpand(Node& node) {
  Composer c(node);
  const Value input = c.input(0, "input");
  if (!c.ok()) return c.status();
  VTA_ASSIGN_OR_RETURN(const BoundedShape wanted, readBoundedShape(c, 1, "shape"));
  VTA_ASSIGN_OR_RETURN(Shape shape, graph::broadcastShape(graph::shapeOf(input), wanted.shape));
  const Value output = c.expand(input, shape);
  std::optional<RowCount> rows = wanted.rows;
  if (rows) rows->axis += std::ssize(shape) - std::ssize(wanted.shape);
  if (const RowCount* given = node.rowCount(input)) {
    const int64_t axis = given->axis + std::ssize(shape) - c.rank(input);
    if (rows && rows->axis != axis) {
      return unsupported("two dimensions of its result would have sizes that depend on data");
    }
    rows = RowCount{axis, given->count};
  }
  return rows ? finishCounted(c, output, *rows) : c.finish(output);
}

/// One number for each dimension; before opset 6, one number and the axis that it is for.
Result<Shape> readRepeats(Node& node, size_t rank) {
  VTA_ASSIGN_OR_RETURN(Shape repeats, node.integers(1, "repeats"));
  if (node.opset() >= 6) return repeats;
  VTA_ASSIGN_OR_RETURN(const Shape axes, node.integers(2, "axis"));
  if (repeats.size() != 1 || axes.size() != 1) {
    return invalidArgument("'tiles' and 'axis' need one element each");
  }
  VTA_ASSIGN_OR_RETURN(const int64_t axis, normalizeAxis(axes[0], static_cast<int64_t>(rank)));
  Shape all(rank, 1);
  all[axis] = repeats[0];
  return all;
}

/// [.., d, ..] to [.., 1, d, ..], expanded to [.., r, d, ..] and flattened.
Status importTile(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "input"));
  ShapeRef shape = graph::shapeOf(input);
  VTA_ASSIGN_OR_RETURN(Shape repeats, readRepeats(node, shape.size()));
  if (repeats.size() != shape.size()) {
    return invalidArgument(
        fmt::format("{} repeats for a tensor of rank {}", repeats.size(), shape.size()));
  }
  if (graph::elementCount(repeats) < 0) {
    return invalidArgument(fmt::format("repeats {} are not legal", graph::shapeText(repeats)));
  }
  Shape split, expanded, result;
  for (size_t i = 0; i < shape.size(); ++i) {
    split.insert(split.end(), {1, shape[i]});
    expanded.insert(expanded.end(), {repeats[i], shape[i]});
    result.push_back(repeats[i] * shape[i]);
  }
  VTA_ASSIGN_OR_RETURN(Value value, node.build().reshape(input, split));
  VTA_ASSIGN_OR_RETURN(value, node.build().expand(value, expanded));
  return node.finish(node.build().reshape(value, result));
}

Status importShape(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "data"));
  ShapeRef shape = graph::shapeOf(input);
  int64_t rank = std::ssize(shape);
  auto position = [&](int64_t value) {
    return std::clamp<int64_t>(value < 0 ? value + rank : value, 0, rank);
  };
  int64_t start = position(node.integer("start", 0)), end = position(node.integer("end", rank));
  ShapeRef part = shape.subspan(start, std::max<int64_t>(end - start, 0));
  const RowCount* rows = node.rowCount(input);
  if (rows == nullptr || rows->axis < start || rows->axis >= end) {
    node.setOutput(0, node.build().constant({part.data(), part.size()}));
    return {};
  }
  Composer c(node);
  std::vector<Value> extents;
  for (int64_t axis = start; axis < end; ++axis) {
    extents.push_back(c.reshape(axis == rows->axis ? rows->count : countOf(c, shape[axis]), {1}));
  }
  return c.finish(c.concat(extents, 0));
}

Status importSize(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "data"));
  double count = static_cast<double>(graph::elementCount(graph::shapeOf(input)));
  if (const RowCount* rows = node.rowCount(input)) {
    const int64_t extent = std::max<int64_t>(graph::shapeOf(input)[rows->axis], 1);
    Composer c(node);
    return c.finish(c.mul(rows->count, countOf(c, static_cast<int64_t>(count) / extent)));
  }
  node.setOutput(0, node.build().scalar(count, node.ir().getI64Type()));
  return {};
}

}  // namespace

std::span<const OpEntry> shapeOps() {
  static constexpr OpEntry kOps[] = {
      {"Expand", 8, kLatest, importExpand},   {"Flatten", 1, kLatest, importFlatten},
      {"Reshape", 1, kLatest, importReshape}, {"Shape", 1, kLatest, importShape},
      {"Size", 1, kLatest, importSize},       {"Squeeze", 1, kLatest, importSqueeze},
      {"Tile", 1, kLatest, importTile},       {"Unsqueeze", 1, kLatest, importUnsqueeze},
  };
  return kOps;
}

}  // namespace vta::compiler
