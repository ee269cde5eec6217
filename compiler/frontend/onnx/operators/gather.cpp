// GatherElements, GatherND, Scatter, ScatterElements, ScatterND: every index tuple becomes one
// position in the flattened tensor, which graph.gather and graph.scatter take.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/frontend/onnx/compose.h"
#include "compiler/frontend/onnx/op_table.h"
#include "compiler/frontend/onnx/rows/checked_indices.h"

namespace vta::compiler {
namespace {

using graph::Shape;
using graph::ShapeRef;
using mlir::Value;

/// Row-major distance between neighbours of every dimension.
Shape stridesOf(const Shape& shape) {
  Shape strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

/// `indices` into dimensions of `extents` as i64 in [0, extent): negative ones count from the end.
/// Those outside are reported, and clamped: no input makes the code read foreign memory.
Value wrapped(Composer& c, Node& node, Value indices, const Shape& extents) {
  const mlir::Type type = node.ir().getI64Type();
  indices = c.cast(checkedIndices(c, indices, extents), type);
  const Value extent = extents.size() == 1 ? c.number(static_cast<double>(extents[0]), type)
                                           : c.integers({std::ssize(extents)}, extents, type);
  Value zero = c.numberLike(0, indices), one = c.numberLike(1, indices);
  indices = c.where(c.less(indices, zero), c.add(indices, extent), indices);
  indices = c.binary(graph::BinaryKind::max, indices, zero);
  return c.binary(graph::BinaryKind::min, indices, c.sub(extent, one));
}

/// The flat position in a tensor of `shape` of every element that `indices` selects along `axis`.
Value elementPositions(Composer& c, Node& node, const Shape& shape, Value indices, int64_t axis) {
  Shape selected = c.shape(indices);
  if (!c.ok()) return {};
  bool fits = selected.size() == shape.size();
  for (size_t i = 0; fits && i < shape.size(); ++i) {
    fits = static_cast<int64_t>(i) == axis || selected[i] <= shape[i];
  }
  if (!fits) {
    c.fail(invalidArgument(fmt::format("indices of shape {} do not fit data of shape {}",
                                       graph::shapeText(selected), graph::shapeText(shape))));
    return {};
  }
  mlir::Type type = node.ir().getI64Type();
  Shape strides = stridesOf(shape);
  Value position = c.mul(wrapped(c, node, indices, {shape[axis]}),
                         c.number(static_cast<double>(strides[axis]), type));
  for (int64_t i = 0; i < std::ssize(shape); ++i) {
    if (i == axis || shape[i] == 1) continue;
    Value along = c.positions(selected[i], i, std::ssize(shape), type);
    position = c.add(position, c.mul(along, c.number(static_cast<double>(strides[i]), type)));
  }
  return position;
}

Status importGatherElements(Node& node) {
  Composer c(node);
  Value data = c.input(0, "data"), indices = c.input(1, "indices");
  Shape shape = c.shape(data);
  int64_t axis = c.axis(node.integer("axis", 0), c.rank(data));
  Value positions = elementPositions(c, node, shape, indices, axis);
  return c.finish(c.gather(c.reshape(data, {graph::elementCount(shape)}), positions, 0));
}

/// Index tuples as positions of slices: the first `batch` dimensions are shared by data and
/// indices, and a tuple selects from the next ones.
struct Tuples {
  Value positions;   // one for each tuple
  Shape slice;       // what a tuple selects
  int64_t rows = 0;  // how many there are in the data
};

Tuples readTuples(Composer& c, Node& node, const Shape& data, Value indices, int64_t batch) {
  Shape shape = c.shape(indices);
  if (!c.ok()) return {};
  int64_t length = shape.empty() ? 0 : shape.back();
  bool fits = !shape.empty() && length >= 1 && batch >= 0 && batch < std::ssize(shape) &&
              batch + length <= std::ssize(data) &&
              std::equal(data.begin(), data.begin() + batch, shape.begin());
  if (!fits) {
    c.fail(invalidArgument(fmt::format("indices of shape {} do not fit data of shape {}",
                                       graph::shapeText(shape), graph::shapeText(data))));
    return {};
  }
  Shape outer(data.begin(), data.begin() + batch + length), strides = stridesOf(outer);
  mlir::Type type = node.ir().getI64Type();
  Shape extents(outer.begin() + batch, outer.end()), steps(strides.begin() + batch, strides.end());
  Value index = wrapped(c, node, indices, extents);
  Value positions = c.sum(c.mul(index, c.integers({length}, steps, type)), {c.rank(index) - 1});
  for (int64_t i = 0; i < batch; ++i) {
    Value along = c.positions(outer[i], i, std::max<int64_t>(std::ssize(shape) - 1, 1), type);
    positions = c.add(positions, c.mul(along, c.number(static_cast<double>(strides[i]), type)));
  }
  return {positions, Shape(data.begin() + batch + length, data.end()), graph::elementCount(outer)};
}

Status importGatherNd(Node& node) {
  Composer c(node);
  Value data = c.input(0, "data"), indices = c.input(1, "indices");
  Tuples tuples = readTuples(c, node, c.shape(data), indices, node.integer("batch_dims", 0));
  Shape rows = tuples.slice;
  rows.insert(rows.begin(), tuples.rows);
  return c.finish(c.gather(c.reshape(data, rows), tuples.positions, 0));
}

/// How updates combine with what is there; nothing for plain replacement.
Result<std::optional<graph::BinaryKind>> readReduction(Node& node) {
  std::string name = node.text("reduction", "none");
  if (name == "none") return std::optional<graph::BinaryKind>();
  if (name == "add" || name == "mul" || name == "max" || name == "min") {
    return graph::symbolizeBinaryKind(name);
  }
  return invalidArgument(fmt::format("reduction '{}' is unknown", name));
}

Status importScatterElements(Node& node) {
  Composer c(node);
  Value data = c.input(0, "data"), indices = c.input(1, "indices"), updates = c.input(2, "updates");
  VTA_ASSIGN_OR_RETURN(std::optional<graph::BinaryKind> reduction, readReduction(node));
  Shape shape = c.shape(data);
  int64_t axis = c.axis(node.integer("axis", 0), c.rank(data));
  Value positions = elementPositions(c, node, shape, indices, axis);
  if (!c.ok()) return c.status();
  if (c.shape(updates) != c.shape(indices)) {
    return invalidArgument("updates and indices differ in shape");
  }
  int64_t count = graph::elementCount(c.shape(updates));
  Value flat = c.reshape(data, {graph::elementCount(shape), 1});
  positions = c.reshape(positions, {count});
  updates = c.reshape(updates, {count, 1});
  if (!c.ok()) return c.status();
  Value result = c.take(node.build().scatter(flat, positions, updates, reduction));
  return c.finish(c.reshape(result, shape));
}

Status importScatterNd(Node& node) {
  Composer c(node);
  Value data = c.input(0, "data"), indices = c.input(1, "indices"), updates = c.input(2, "updates");
  VTA_ASSIGN_OR_RETURN(std::optional<graph::BinaryKind> reduction, readReduction(node));
  Shape shape = c.shape(data);
  Tuples tuples = readTuples(c, node, shape, indices, 0);
  if (!c.ok()) return c.status();
  Shape expected = c.shape(indices);
  expected.pop_back();
  int64_t count = graph::elementCount(expected);
  expected.insert(expected.end(), tuples.slice.begin(), tuples.slice.end());
  if (c.shape(updates) != expected) {
    return invalidArgument(fmt::format("expects updates of shape {}, got {}",
                                       graph::shapeText(expected),
                                       graph::shapeText(c.shape(updates))));
  }
  int64_t length = graph::elementCount(tuples.slice);
  Value flat = c.reshape(data, {tuples.rows, length});
  Value positions = c.reshape(tuples.positions, {count});
  updates = c.reshape(updates, {count, length});
  if (!c.ok()) return c.status();
  Value result = c.take(node.build().scatter(flat, positions, updates, reduction));
  return c.finish(c.reshape(result, shape));
}

}  // namespace

std::span<const OpEntry> gatherOps() {
  static constexpr OpEntry kOps[] = {
      {"GatherElements", 11, kLatest, importGatherElements},
      {"GatherND", 11, kLatest, importGatherNd},
      {"Scatter", 9, 10, importScatterElements},
      {"ScatterElements", 11, kLatest, importScatterElements},
      {"ScatterND", 11, kLatest, importScatterNd},
  };
  return kOps;
}

}  // namespace vta::compiler
