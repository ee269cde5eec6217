// Operators that pick elements by comparing them: ArgMax, ArgMin, Hardmax, OneHot, TopK, Trilu,
// EyeLike, Compress, NonZero.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/dialects/graph/constant_tensor.h"
#include "compiler/frontend/onnx/compose.h"
#include "compiler/frontend/onnx/op_table.h"

namespace vta::compiler {
namespace {

using graph::BinaryKind;
using graph::ReduceKind;
using graph::Shape;
using mlir::Value;

/// TopK compares all pairs.
constexpr int64_t kMostCandidates = 4096;

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

/// How many of the last dimension's elements come before each, by value and then by position.
Value ranksOf(Composer& c, Value input, bool largest, mlir::Type type) {
  int64_t rank = c.rank(input);
  Shape shape = c.shape(input);
  if (!c.ok()) return {};
  int64_t extent = shape.back();
  Value self = c.unsqueeze(input, rank), other = c.unsqueeze(input, rank - 1);
  Value is_better = c.binary(largest ? BinaryKind::greater : BinaryKind::less, other, self);
  Value is_earlier = c.less(c.positions(extent, rank, rank + 1, type),
                            c.positions(extent, rank - 1, rank + 1, type));
  Value is_tie = c.binary(BinaryKind::logical_and, c.equal(other, self),
                          c.expand(is_earlier, c.shape(c.equal(other, self))));
  Value is_before = c.binary(BinaryKind::logical_or, is_better, is_tie);
  return c.sum(c.cast(is_before, type), {rank});
}

Status importTopK(Node& node) {
  Composer c(node);
  Value input = c.input(0, "X");
  Shape wanted = node.opset() < 10 ? Shape{node.integer("k", -1)} : c.integers(1, "K");
  int64_t rank = c.rank(input), axis = c.axis(node.integer("axis", -1), rank);
  if (!c.ok()) return c.status();
  int64_t extent = c.shape(input)[axis];
  if (wanted.size() != 1 || wanted[0] < 1 || wanted[0] > extent) {
    return invalidArgument(fmt::format("K is not a number from 1 to {}", extent));
  }
  if (extent > kMostCandidates) {
    return unsupported(
        fmt::format("only up to {} candidates are supported, got {}", kMostCandidates, extent));
  }
  Shape to_end(rank);
  for (int64_t i = 0; i < rank; ++i) to_end[i] = i;
  std::swap(to_end[axis], to_end[rank - 1]);  // its own inverse
  mlir::Type type = node.ir().getI64Type();
  Value moved = c.transpose(input, to_end);
  Value ranks = ranksOf(c, moved, node.integer("largest", 1) != 0, type);
  Value is_chosen = c.equal(c.unsqueeze(ranks, rank), c.positions(wanted[0], rank, rank + 1, type));
  Value values = c.sum(c.keep(is_chosen, c.unsqueeze(moved, rank)), {rank - 1});
  Value indices =
      c.sum(c.keep(is_chosen, c.positions(extent, rank - 1, rank + 1, type)), {rank - 1});
  VTA_RETURN_IF_ERROR(c.finish(c.transpose(values, to_end)));
  return c.finish(c.transpose(indices, to_end), 1);
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

Status importCompress(Node& node) {
  Composer c(node);
  Value input = c.input(0, "input");
  Shape condition = c.integers(1, "condition");
  if (!c.ok()) return c.status();
  int64_t axis = 0;
  if (node.hasAttribute("axis")) {
    axis = c.axis(node.integer("axis", 0), c.rank(input));
  } else {
    input = c.reshape(input, {graph::elementCount(c.shape(input))});
  }
  if (!c.ok()) return c.status();
  Shape chosen;
  for (int64_t i = 0; i < std::ssize(condition); ++i) {
    if (condition[i]) chosen.push_back(i);
  }
  if (!chosen.empty() && chosen.back() >= c.shape(input)[axis]) {
    return invalidArgument("'condition' is longer than the dimension");
  }
  return c.finish(c.gather(input, node.build().constant(chosen), axis));
}

Status importNonZero(Node& node) {
  VTA_ASSIGN_OR_RETURN(std::vector<double> values, node.numbers(0, "X"));
  Composer c(node);
  Shape shape = c.shape(node.optionalInput(0));
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
