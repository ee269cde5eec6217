// MaxPool, AveragePool and their global forms.
#include <algorithm>

#include "compiler/frontend/onnx/op_table.h"
#include "compiler/frontend/onnx/operators/layers.h"
#include "compiler/frontend/onnx/operators/volume.h"
#include "compiler/frontend/onnx/operators/windows/pool_indices.h"
#include "compiler/frontend/onnx/window.h"

namespace vta::compiler {
namespace {

using graph::Shape;
using graph::ShapeRef;
using mlir::Value;

/// Extends the end pads so that rounding down gives the number of outputs that ceil_mode asks for;
/// returns how far. A window that would begin in the end padding is left out.
Shape applyCeilMode(ShapeRef extents, SpatialWindow& window) {
  const size_t rank = extents.size();
  Shape extra(rank, 0);
  for (size_t i = 0; i < rank; ++i) {
    int64_t reach = (window.kernel[i] - 1) * window.dilations[i] + 1;
    int64_t stride = window.strides[i];
    int64_t span = extents[i] + window.pads[i] + window.pads[rank + i] - reach;
    if (span < 0) continue;
    int64_t outputs = (span + stride - 1) / stride + 1;
    if ((outputs - 1) * stride >= extents[i] + window.pads[i]) --outputs;
    extra[i] = std::max<int64_t>((outputs - 1) * stride - span, 0);
    window.pads[rank + i] += extra[i];
  }
  return extra;
}

/// A pooling layer: of a volume, or brought to two spatial dimensions.
struct Pool {
  Value input;
  size_t rank = 0;
  SpatialWindow window;
  Shape ceil_extra;
};

Result<Pool> readPool(Node& node, Value input) {
  Pool pool;
  pool.rank = graph::shapeOf(input).size();
  pool.input = input;
  if (pool.rank != 5) {
    VTA_ASSIGN_OR_RETURN(pool.input, toRank4(node, input));
  }
  std::optional<Shape> kernel = node.integerList("kernel_shape");
  if (!kernel) return invalidArgument("attribute 'kernel_shape' is missing");
  ShapeRef extents = graph::shapeOf(pool.input).subspan(2);
  VTA_ASSIGN_OR_RETURN(pool.window,
                       readWindow(node, extents.subspan(pool.rank == 3 ? 1 : 0), *kernel));
  pool.ceil_extra =
      node.integer("ceil_mode", 0) ? applyCeilMode(extents, pool.window) : Shape(extents.size(), 0);
  return pool;
}

Result<Value> runPool(Node& node, const Pool& pool, const ImagePool& image_pool) {
  if (pool.rank == 5) {
    const SpatialWindow& w = pool.window;
    return volumePool(node, pool.input, {w.kernel, w.strides, w.pads, w.dilations, pool.ceil_extra},
                      image_pool);
  }
  return fromRank4(node, image_pool(pool.input, pool.window.view(), pool.ceil_extra), pool.rank);
}

ImagePool maxPool(Node& node) {
  return [&node](Value image, const graph::Window& window, ShapeRef) {
    return node.build().maxPool(image, window);
  };
}

ImagePool meanPool(Node& node) {
  const bool counts_pads = node.integer("count_include_pad", 0) != 0;
  return [&node, counts_pads](Value image, const graph::Window& window, ShapeRef ceil_extra) {
    return node.build().avgPool(image, window, counts_pads, ceil_extra);
  };
}

Status importMaxPool(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "X"));
  VTA_ASSIGN_OR_RETURN(Pool pool, readPool(node, input));
  VTA_RETURN_IF_ERROR(node.finish(runPool(node, pool, maxPool(node))));
  if (!node.isOutputUsed(1)) return {};
  Composer c(node);
  const bool column_major = node.integer("storage_order", 0) != 0;
  Value indices = maxPoolIndices(c, pool.input, pool.window, column_major);
  if (c.ok() && pool.rank != 5) indices = c.take(fromRank4(node, indices, pool.rank));
  return c.finish(indices, 1);
}

Status importAveragePool(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "X"));
  return node.finish(averagePool(node, input));
}

/// (sum of |x|^p)^(1/p), padding counted as zeros: the mean times the number of elements.
Status importLpPool(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "X"));
  const auto p = static_cast<double>(node.integer("p", 2));
  if (p < 1) return invalidArgument("'p' is not positive");
  Composer c(node);
  const Value power = c.binary(graph::BinaryKind::pow, c.unary(graph::UnaryKind::abs, input),
                               c.numberLike(p, input));
  if (!c.ok()) return c.status();
  VTA_ASSIGN_OR_RETURN(Pool pool, readPool(node, power));
  if (std::ranges::any_of(pool.window.dilations, [](int64_t d) { return d != 1; })) {
    return unsupported("dilations are not supported");
  }
  if (std::ranges::any_of(pool.ceil_extra, [](int64_t extra) { return extra != 0; })) {
    return unsupported("ceil_mode is not supported");
  }
  const Value mean =
      c.take(runPool(node, pool, [&](Value image, const graph::Window& window, ShapeRef extra) {
        return node.build().avgPool(image, window, /*count_include_pad=*/true, extra);
      }));
  const Value sum = c.scale(mean, static_cast<double>(graph::elementCount(pool.window.kernel)));
  return c.finish(c.binary(graph::BinaryKind::pow, sum, c.numberLike(1 / p, sum)));
}

/// All positions of every channel.
Status importGlobal(Node& node, Result<Value> (*reduce)(Composer&, Value, const Shape&)) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "X"));
  Composer c(node);
  Shape axes;
  for (int64_t axis = 2; axis < c.rank(input); ++axis) axes.push_back(axis);
  return node.finish(reduce(c, input, axes));
}

/// The window is the whole image where there is one: the accelerator knows such poolings.
Result<Value> globalPool(Node& node, Value input, const ImagePool& image_pool) {
  const size_t rank = graph::shapeOf(input).size();
  VTA_ASSIGN_OR_RETURN(Value image, toRank4(node, input));
  ShapeRef shape = graph::shapeOf(image);
  const SpatialWindow window = {{shape[2], shape[3]}, {1, 1}, {0, 0, 0, 0}, {1, 1}};
  return fromRank4(node, image_pool(image, window.view(), Shape{0, 0}), rank);
}

Status importGlobalMaxPool(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "X"));
  const size_t rank = graph::shapeOf(input).size();
  if (rank == 3 || rank == 4) return node.finish(globalPool(node, input, maxPool(node)));
  return importGlobal(node, [](Composer& c, Value value, const Shape& axes) -> Result<Value> {
    const Value result = c.reduce(graph::ReduceKind::max, value, axes, true);
    return c.ok() ? Result<Value>(result) : c.status();
  });
}

Status importGlobalAveragePool(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "X"));
  const size_t rank = graph::shapeOf(input).size();
  if (rank == 3 || rank == 4) return node.finish(globalPool(node, input, meanPool(node)));
  return importGlobal(node, [](Composer& c, Value value, const Shape& axes) -> Result<Value> {
    const Value result = c.mean(value, axes, true);
    return c.ok() ? Result<Value>(result) : c.status();
  });
}

Status importGlobalLpPool(Node& node) {
  return importGlobal(node, [](Composer& c, Value value, const Shape& axes) -> Result<Value> {
    const auto p = static_cast<double>(c.node().integer("p", 2));
    const Value power = c.binary(graph::BinaryKind::pow, c.unary(graph::UnaryKind::abs, value),
                                 c.numberLike(p, value));
    const Value sum = c.sum(power, axes, true);
    const Value root = c.binary(graph::BinaryKind::pow, sum, c.numberLike(1 / p, sum));
    return c.ok() ? Result<Value>(root) : c.status();
  });
}

}  // namespace

Result<Value> averagePool(Node& node, Value input) {
  VTA_ASSIGN_OR_RETURN(Pool pool, readPool(node, input));
  if (std::ranges::any_of(pool.window.dilations, [](int64_t d) { return d != 1; })) {
    return unsupported("average pooling with dilations is not supported");
  }
  return runPool(node, pool, meanPool(node));
}

std::span<const OpEntry> poolingOps() {
  static constexpr OpEntry kOps[] = {
      {"AveragePool", 1, kLatest, importAveragePool},
      {"GlobalAveragePool", 1, kLatest, importGlobalAveragePool},
      {"GlobalLpPool", 2, kLatest, importGlobalLpPool},
      {"GlobalMaxPool", 1, kLatest, importGlobalMaxPool},
      {"LpPool", 2, kLatest, importLpPool},
      {"MaxPool", 1, kLatest, importMaxPool},
  };
  return kOps;
}

}  // namespace vta::compiler
