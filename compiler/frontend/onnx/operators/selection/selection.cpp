// Operators that pick elements by comparing them: ArgMax, ArgMin, Hardmax, OneHot, TopK, Trilu,
// EyeLike, Compress, NonZero.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "compiler/dialects/graph/constant_tensor.h"
#include "compiler/frontend/onnx/compose.h"
#include "compiler/frontend/onnx/op_table.h"
#include "compiler/frontend/onnx/rows/counting.h"

namespace vta::compiler {
namespace {

using graph::BinaryKind;
using graph::ReduceKind;
using graph::Shape;
using mlir::Value;

/// The position of the extreme element along `axis`, of several equal ones the first or the last.
Value extremePosition(Composer& c, Value input, ReduceKind kind, int64_t axis, bool last,
                      bool keep_dims, mlir::Type type) {
  Shape shape = c.shape(input);
  if (!c.ok()) return {};
  int64_t extent = shape[axis];
  if (extent == 0) {
    c.fail(invalidArgument(fmt::format("dimension {} has no elements", axis)));
    return {};
  }
  Value is_extreme = c.equal(input, c.reduce(kind, input, {axis}, true));
  Value positions = c.positions(extent, axis, std::ssize(shape), type);
  Value other = c.numberLike(last ? 0 : static_cast<double>(extent - 1), positions);
  return c.reduce(last ? ReduceKind::max : ReduceKind::min, c.where(is_extreme, positions, other),
                  {axis}, keep_dims);
}

template <ReduceKind kind>
Status importArg(Node& node) {
  Composer c(node);
  Value input = c.input(0, "data");
  int64_t axis = c.axis(node.integer("axis", 0), c.rank(input));
  return c.finish(extremePosition(c, input, kind, axis, node.integer("select_last_index", 0) != 0,
                                  node.integer("keepdims", 1) != 0, node.ir().getI64Type()));
}

/// One at the first maximum along `axis`, else 0.
Value hardmax(Composer& c, Node& node, Value input, int64_t axis) {
  Value first =
      extremePosition(c, input, ReduceKind::max, axis, false, true, node.ir().getI64Type());
  Shape shape = c.shape(input);
  if (!c.ok()) return {};
  Value positions = c.positions(shape[axis], axis, std::ssize(shape), node.ir().getI64Type());
  return c.cast(c.equal(positions, first), graph::elementTypeOf(input));
}

Status importHardmax(Node& node) {
  Composer c(node);
  Value input = c.input(0, "input");
  int64_t axis = c.axis(node.integer("axis", -1), c.rank(input));
  return c.finish(hardmax(c, node, input, axis));
}

/// Before opset 13, all dimensions from `axis` on are one.
Status importOldHardmax(Node& node) {
  Composer c(node);
  Value input = c.input(0, "input");
  Shape shape = c.shape(input);
  int64_t axis = c.axis(node.integer("axis", 1), c.rank(input));
  graph::ShapeRef extents = shape;
  Shape matrix = {graph::elementCount(extents.first(axis)),
                  graph::elementCount(extents.subspan(axis))};
  return c.finish(c.reshape(hardmax(c, node, c.reshape(input, matrix), 1), shape));
}

Status importOneHot(Node& node) {
  Composer c(node);
  Value indices = c.cast(c.input(0, "indices"), node.ir().getI64Type());
  Result<std::vector<double>> depth = node.numbers(1, "depth");
  if (!depth.ok()) return depth.status();
  if (depth->size() != 1 || !((*depth)[0] >= 1 && (*depth)[0] <= 1 << 24)) {
    return invalidArgument("'depth' is not one positive number");
  }
  auto count = static_cast<int64_t>((*depth)[0]);
  Value values = c.input(2, "values");
  if (c.ok() && c.shape(values) != Shape{2}) return invalidArgument("'values' needs two elements");
  int64_t rank = c.rank(indices) + 1;
  int64_t axis = c.axis(node.integer("axis", -1), rank);
  Value is_negative = c.less(indices, c.numberLike(0, indices));
  Value from_end = c.add(indices, c.numberLike(static_cast<double>(count), indices));
  indices = c.unsqueeze(c.where(is_negative, from_end, indices), axis);
  Value is_hot = c.equal(indices, c.positions(count, axis, rank, node.ir().getI64Type()));
  Value off = c.reshape(c.slice(values, 0, 0, 1), {}), on = c.reshape(c.slice(values, 0, 1, 2), {});
  return c.finish(c.where(is_hot, on, off));
}

/// How many elements TopK takes, and how many at most.
struct Wanted {
  Value count;  // a 0-D i64
  int64_t most = 0;
};

Result<Wanted> readWanted(Composer& c, int64_t extent) {
  Node& node = c.node();
  Range range = Range::exactly(node.integer("k", -1));
  Value count;
  if (node.opset() < 10) {
    count = countOf(c, range.low);
  } else {
    VTA_ASSIGN_OR_RETURN(const std::vector<Range> given, node.ranges(1, "K"));
    if (given.size() != 1) return invalidArgument("'K' needs one element");
    range = given[0];
    count = countAt(c, c.input(1, "K"), 0);
  }
  if (range.isExact() && (range.low < 0 || range.low > extent)) {
    return invalidArgument(fmt::format("K is {}, not a number from 0 to {}", range.low, extent));
  }
  const int64_t most = std::clamp<int64_t>(range.high, 0, extent);
  return Wanted{range.isExact() ? count : clampedCount(c, count, most), most};
}

/// Rows of the elements along `axis`: the other dimensions' elements, times `axis`.
Status importTopK(Node& node) {
  Composer c(node);
  Value input = c.input(0, "X");
  int64_t rank = c.rank(input), axis = c.axis(node.integer("axis", -1), rank);
  if (!c.ok()) return c.status();
  if (rank == 0) return invalidArgument("'X' is a scalar");
  const Shape shape = c.shape(input);
  const int64_t extent = shape[axis];
  VTA_ASSIGN_OR_RETURN(Wanted wanted, readWanted(c, extent));
  if (wanted.most == 0) {
    Shape none = shape;
    none[axis] = 0;
    VTA_RETURN_IF_ERROR(c.finish(c.slice(input, axis, 0, 0)));
    return c.finish(c.integers(none, {}, node.ir().getI64Type()), 1);
  }
  const bool largest = node.integer("largest", 1) != 0;
  std::optional<RowCount> rows;  // of the result
  if (const RowCount* given = node.rowCount(input)) rows = *given;
  const bool picks_among_rows = rows && rows->axis == axis;
  if (picks_among_rows) {
    input = withFiller(c, input, *rows, lastFiller(c, input, largest));
    rows->count = c.min(wanted.count, rows->count);
    if (c.ok()) node.setMost(rows->count, wanted.most);
  } else if (!graph::constantOf(wanted.count)) {
    if (rows)
      return unsupported("two dimensions of its result would have sizes that depend on data");
    rows = RowCount{axis, wanted.count};
  }
  Shape to_end(rank);
  for (int64_t i = 0; i < rank; ++i) to_end[i] = i;
  std::swap(to_end[axis], to_end[rank - 1]);  // its own inverse
  const Value moved = c.transpose(input, to_end);
  Shape outer = c.shape(moved);
  if (!c.ok()) return c.status();
  outer.back() = wanted.most;
  const int64_t count = graph::elementCount(shape) / std::max<int64_t>(extent, 1);
  const Value flat = c.reshape(moved, {count, extent});
  if (!c.ok()) return c.status();
  const Value positions = c.take(node.build().top(flat, wanted.most, largest));
  const mlir::Type i64 = node.ir().getI64Type();
  const Value starts = c.mul(c.positions(count, 0, 2, i64), countOf(c, extent));
  Value values = c.gather(c.reshape(flat, {count * extent}), c.add(positions, starts), 0);
  values = c.transpose(c.reshape(values, outer), to_end);
  const Value indices = c.transpose(c.reshape(positions, outer), to_end);
  if (!rows) {
    VTA_RETURN_IF_ERROR(c.finish(values));
    return c.finish(indices, 1);
  }
  VTA_RETURN_IF_ERROR(finishCounted(c, values, *rows));
  return finishCounted(c, indices, *rows, 1);
}

Status importTrilu(Node& node) {
  Composer c(node);
  Value input = c.input(0, "input");
  Shape shape = c.shape(input), diagonal = {0};
  if (node.hasInput(1)) diagonal = c.integers(1, "k");
  if (!c.ok()) return c.status();
  if (shape.size() < 2) return invalidArgument("expects an input of rank 2 or more");
  if (diagonal.size() != 1) return invalidArgument("'k' is not a scalar");
  bool upper = node.integer("upper", 1) != 0;
  int64_t rows = shape[shape.size() - 2], columns = shape.back();
  // Far diagonals select all or nothing; clamped, no subtraction overflows.
  int64_t k = std::clamp(diagonal[0], -rows - 1, columns + 1);
  std::vector<int64_t> mask;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) mask.push_back(upper ? j - i >= k : j - i <= k);
  }
  return c.finish(c.keep(c.integers({rows, columns}, mask, node.ir().getI1Type()), input));
}

Status importEyeLike(Node& node) {
  Composer c(node);
  Value input = c.input(0, "input");
  Shape shape = c.shape(input);
  if (!c.ok()) return c.status();
  if (shape.size() != 2) return invalidArgument("expects a matrix, got " + graph::shapeText(shape));
  mlir::Type type = graph::elementTypeOf(input);
  if (node.hasAttribute("dtype")) {
    VTA_ASSIGN_OR_RETURN(type, node.computedType(node.integer("dtype", 0)));
  }
  int64_t k = std::clamp(node.integer("k", 0), -shape[0], shape[1]);
  std::vector<double> values(shape[0] * shape[1], 0);
  for (int64_t i = 0; i < shape[0]; ++i) {
    if (i + k >= 0 && i + k < shape[1]) values[i * shape[1] + i + k] = 1;
  }
  return c.finish(c.numbers(shape, values, type));
}

/// Which entries are chosen is known only when the model runs.
Status importComputedCompress(Composer& c, Value input, int64_t axis) {
  Node& node = c.node();
  Value condition = c.input(1, "condition");
  if (!c.ok()) return c.status();
  const Shape extents = c.shape(condition);
  if (extents.size() != 1 || extents[0] > c.shape(input)[axis]) {
    return invalidArgument("'condition' is no list, or longer than the dimension");
  }
  if (const RowCount* rows = node.rowCount(condition)) {
    condition = c.binary(BinaryKind::logical_and, condition, validMask(c, condition, *rows));
  }
  if (const RowCount* rows = node.rowCount(input); rows != nullptr) {
    if (rows->axis != axis) {
      return unsupported("two dimensions of its result would have sizes that depend on data");
    }
    const Value valid = c.slice(validMask(c, input, *rows), axis, 0, extents[0]);
    condition = c.binary(BinaryKind::logical_and, condition, c.reshape(valid, extents));
  }
  const Value count = countTrue(c, condition);
  if (!c.ok()) return c.status();
  const Value positions = c.take(node.build().compact(condition));
  return finishCounted(c, c.gather(input, positions, axis), {axis, count});
}

Status importCompress(Node& node) {
  Composer c(node);
  Value input = c.input(0, "input");
  const Value given = c.input(1, "condition");
  if (!c.ok()) return c.status();
  int64_t axis = 0;
  const RowCount* rows = node.rowCount(input);
  if (node.hasAttribute("axis")) {
    axis = c.axis(node.integer("axis", 0), c.rank(input));
  } else if (rows != nullptr && c.rank(input) != 1) {
    return unsupported(dependsOnData(0, *rows) + "; attribute 'axis' has to name that dimension");
  } else {
    input = c.reshape(input, {graph::elementCount(c.shape(input))});
  }
  if (!c.ok()) return c.status();
  if (!graph::constantOf(given) || rows != nullptr) return importComputedCompress(c, input, axis);
  const Shape condition = c.integers(1, "condition");
  Shape chosen;
  for (int64_t i = 0; i < std::ssize(condition); ++i) {
    if (condition[i]) chosen.push_back(i);
  }
  if (!chosen.empty() && chosen.back() >= c.shape(input)[axis]) {
    return invalidArgument("'condition' is longer than the dimension");
  }
  return c.finish(c.gather(input, node.build().constant(chosen), axis));
}

/// Positions in the flattened input, taken apart into an index for each dimension.
Status importComputedNonZero(Composer& c, Value input) {
  Node& node = c.node();
  const Shape shape = c.shape(input);
  Value mask = input;
  if (c.ok() && graph::elementTypeOf(input) != node.ir().getI1Type()) {
    mask = c.unary(graph::UnaryKind::logical_not, c.equal(input, c.numberLike(0, input)));
  }
  if (const RowCount* rows = c.ok() ? node.rowCount(input) : nullptr) {
    mask = withFiller(c, mask, *rows, c.number(0, node.ir().getI1Type()));
  }
  const int64_t total = graph::elementCount(shape);
  mask = c.reshape(mask, {total});
  const Value count = countTrue(c, mask);
  if (!c.ok()) return c.status();
  const Value positions = c.take(node.build().compact(mask));
  std::vector<Value> indices;
  int64_t inner = total;
  for (const int64_t extent : shape) {
    inner /= std::max<int64_t>(extent, 1);
    const Value outer = c.div(positions, countOf(c, std::max<int64_t>(inner, 1)));
    indices.push_back(
        c.unsqueeze(c.binary(BinaryKind::mod, outer, countOf(c, std::max<int64_t>(extent, 1))), 0));
  }
  return finishCounted(c, c.concat(indices, 0), {1, count});
}

Status importNonZero(Node& node) {
  Composer c(node);
  const Value input = c.input(0, "X");
  if (!c.ok()) return c.status();
  Shape shape = c.shape(input);
  const bool is_constant = graph::constantOf(input) && node.rowCount(input) == nullptr;
  if (!is_constant && shape.empty()) return importComputedNonZero(c, c.reshape(input, {1}));
  if (!is_constant) return importComputedNonZero(c, input);
  VTA_ASSIGN_OR_RETURN(std::vector<double> values, node.numbers(0, "X"));
  Shape found;
  for (int64_t i = 0; i < std::ssize(values); ++i) {
    if (values[i] != 0) found.push_back(i);
  }
  // Row r holds every found element's index in dimension r.
  std::vector<int64_t> indices;
  int64_t inner = graph::elementCount(shape);
  for (int64_t extent : shape) {
    inner /= std::max<int64_t>(extent, 1);
    for (int64_t i : found) indices.push_back(i / inner % extent);
  }
  return c.finish(
      c.integers({std::ssize(shape), std::ssize(found)}, indices, node.ir().getI64Type()));
}

}  // namespace

std::span<const OpEntry> selectionOps() {
  static constexpr OpEntry kOps[] = {
      {"ArgMax", 1, kLatest, importArg<ReduceKind::max>},
      {"ArgMin", 1, kLatest, importArg<ReduceKind::min>},
      {"Compress", 9, kLatest, importCompress},
      {"EyeLike", 9, kLatest, importEyeLike},
      {"Hardmax", 1, 12, importOldHardmax},
      {"Hardmax", 13, kLatest, importHardmax},
      {"NonZero", 9, kLatest, importNonZero},
      {"OneHot", 9, kLatest, importOneHot},
      {"TopK", 1, kLatest, importTopK},
      {"Trilu", 14, kLatest, importTrilu},
  };
  return kOps;
}

}  // namespace vta::compiler
