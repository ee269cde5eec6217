// Unique: equal entries become neighbours when they are sorted.
#include <fmt/format.h>

#include <limits>

#include "compiler/frontend/onnx/compose.h"
#include "compiler/frontend/onnx/op_table.h"
#include "compiler/frontend/onnx/operators/layers.h"
#include "compiler/frontend/onnx/rows/counting.h"

namespace vta::compiler {
namespace {

using graph::Shape;
using mlir::Value;

/// Rows are sorted by one column after the other.
constexpr int64_t kMostColumns = 256;

/// The entries as rows: [N, columns].
Value rowsOf(Composer& c, Value input, int64_t axis) {
  Shape to_front = {axis};
  for (int64_t i = 0; i < c.rank(input); ++i) {
    if (i != axis) to_front.push_back(i);
  }
  const Shape shape = c.shape(input);
  if (!c.ok()) return {};
  const int64_t columns = graph::elementCount(shape) / std::max<int64_t>(shape[axis], 1);
  return c.reshape(c.transpose(input, to_front), {shape[axis], columns});
}

/// The positions of the smallest elements of a list first; equal ones keep their order.
Value ascending(Composer& c, Value list) {
  const Shape shape = c.shape(list);
  if (!c.ok()) return {};
  const Value row = c.reshape(list, {1, shape[0]});
  if (!c.ok()) return {};
  return c.reshape(c.take(c.node().build().top(row, shape[0], false)), shape);
}

/// What sorts the rows by their first column, then by the second, and so on.
Value sortRows(Composer& c, Value rows) {
  const Shape shape = c.shape(rows);
  if (!c.ok()) return {};
  Value order = c.positions(shape[0], 0, 1, c.node().ir().getI64Type());
  for (int64_t column = shape[1]; column-- > 0;) {
    const Value keys = c.squeeze(c.slice(rows, 1, column, column + 1), 1);
    order = c.gather(order, ascending(c, c.gather(keys, order, 0)), 0);
  }
  return order;
}

/// Which sorted rows differ from the one in front; the first one does.
Value findHeads(Composer& c, Value sorted) {
  const Shape shape = c.shape(sorted);
  const Value first = c.expand(c.number(1, c.node().ir().getI1Type()), {1});
  if (!c.ok() || shape[0] < 2) return first;
  const Value same = c.equal(c.slice(sorted, 0, 1, shape[0]), c.slice(sorted, 0, 0, shape[0] - 1));
  // All columns are the same: none of them differs.
  const Value differs = c.reduce(
      graph::ReduceKind::max,
      c.cast(c.unary(graph::UnaryKind::logical_not, same), c.node().ir().getI32Type()), {1});
  return c.concat({first, c.cast(differs, c.node().ir().getI1Type())}, 0);
}

/// `list` with element k at place order[k].
Value placed(Composer& c, Value list, Value order) {
  const Shape shape = c.shape(list);
  if (!c.ok()) return {};
  const Value column = c.reshape(list, {shape[0], 1});
  if (!c.ok()) return {};
  return c.reshape(c.take(c.node().build().scatter(column, order, column, std::nullopt)), shape);
}

/// What Unique knows of N entries: lists of N, of which the first `count` are about groups, except
/// `inverse`, which has the group of every entry.
struct Groups {
  Value count, first, inverse, sizes;
};

Groups findGroups(Composer& c, Value rows) {
  const Value order = sortRows(c, rows);
  const Value heads = findHeads(c, c.gather(rows, order, 0));
  const Shape shape = c.shape(rows);
  Groups groups;
  groups.count = countTrue(c, heads);
  if (!c.ok()) return {};
  const mlir::Type i64 = c.node().ir().getI64Type();
  const Value starts = c.take(c.node().build().compact(heads));
  groups.first = c.gather(order, starts, 0);
  const Value numbers = c.sub(prefixSums(c, c.cast(heads, i64), 0), countOf(c, 1));
  groups.inverse = placed(c, numbers, order);
  // A group ends where the next one starts, the last one behind all.
  const Value next = c.add(c.positions(shape[0], 0, 1, i64), countOf(c, 1));
  const Value ends =
      c.where(c.less(next, groups.count), c.gather(starts, next, 0), countOf(c, shape[0]));
  groups.sizes = c.sub(ends, starts);
  return groups;
}

/// The groups in the order in which the entries have them.
Groups inOrderOfEntries(Composer& c, const Groups& groups) {
  const Value behind = countOf(c, std::numeric_limits<int64_t>::max());
  const Value keys = withFiller(c, groups.first, {0, groups.count}, behind);
  const Value order = ascending(c, keys);
  const Shape shape = c.shape(groups.first);
  if (!c.ok()) return {};
  const Value rank = placed(c, c.positions(shape[0], 0, 1, c.node().ir().getI64Type()), order);
  return {groups.count, c.gather(groups.first, order, 0), c.gather(rank, groups.inverse, 0),
          c.gather(groups.sizes, order, 0)};
}

Status importUnique(Node& node) {
  Composer c(node);
  Value input = c.input(0, "X");
  if (!c.ok()) return c.status();
  int64_t axis = 0;
  if (node.hasAttribute("axis")) {
    axis = c.axis(node.integer("axis", 0), c.rank(input));
  } else {
    input = c.reshape(input, {graph::elementCount(c.shape(input))});
  }
  const Value rows = rowsOf(c, input, axis);
  const Shape shape = c.shape(rows);
  if (!c.ok()) return c.status();
  if (shape[0] == 0 || shape[1] == 0) return invalidArgument("'X' has no elements");
  if (shape[1] > kMostColumns) {
    return unsupported(
        fmt::format("entries of {} elements are more than {}", shape[1], kMostColumns));
  }
  Groups groups = findGroups(c, rows);
  if (node.integer("sorted", 1) == 0) groups = inOrderOfEntries(c, groups);
  VTA_RETURN_IF_ERROR(finishCounted(c, c.gather(input, groups.first, axis), {axis, groups.count}));
  VTA_RETURN_IF_ERROR(finishCounted(c, groups.first, {0, groups.count}, 1));
  VTA_RETURN_IF_ERROR(c.finish(groups.inverse, 2));
  return finishCounted(c, groups.sizes, {0, groups.count}, 3);
}

}  // namespace

std::span<const OpEntry> uniqueOps() {
  static constexpr OpEntry kOps[] = {{"Unique", 11, kLatest, importUnique}};
  return kOps;
}

}  // namespace vta::compiler
