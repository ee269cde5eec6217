// MaxPool, AveragePool, LpPool and their global forms.
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
/// returns how far. A window that would begin in the end padding is left out; one that is larger
/// than the image may be the only one.
Shape applyCeilMode(ShapeRef extents, SpatialWindow& window) {
  const size_t rank = extents.size();
  Shape extra(rank, 0);
  for (size_t i = 0; i < rank; ++i) {
    int64_t reach = (window.kernel[i] - 1) * window.dilations[i] + 1;
    int64_t stride = window.strides[i];
    int64_t span = extents[i] + window.pads[i] + window.pads[rank + i] - reach;
    if (span <= -stride) continue;  // not even a part of a window
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

/// One over how many elements of the window count, for all positions along one dimension.
std::vector<double> windowShares(const graph::Window& window, size_t i, int64_t input,
                                 int64_t outputs, bool counts_pads, int64_t ceil_extra) {
  const int64_t begin = counts_pads ? -window.pads[i] : 0;
  const int64_t end = counts_pads ? input + window.pads[2 + i] - ceil_extra : input;
  const int64_t apart = window.dilations[i];
  // How many elements of the window lie before a place.
  const auto before = [&](int64_t place, int64_t first) {
    return std::clamp<int64_t>((place - first + apart - 1) / apart, 0, window.kernel[i]);
  };
  std::vector<double> result;
  for (int64_t o = 0; o < outputs; ++o) {
    const int64_t first = o * window.strides[i] - window.pads[i];
    const int64_t count = before(end, first) - before(begin, first);
    result.push_back(1.0 / static_cast<double>(std::max<int64_t>(count, 1)));
  }
  return result;
}

/// A mean over elements that lie apart: a depthwise convolution, which the accelerator knows. Its
/// weights are the shares of elements where all windows have equally many, else ones.
Result<Value> dilatedMean(Node& node, Value image, const graph::Window& window, bool counts_pads,
                          ShapeRef ceil_extra) {
  VTA_ASSIGN_OR_RETURN(const Shape shape, graph::poolShape(graph::shapeOf(image), window));
  const auto rows =
      windowShares(window, 0, graph::shapeOf(image)[2], shape[2], counts_pads, ceil_extra[0]);
  const auto columns =
      windowShares(window, 1, graph::shapeOf(image)[3], shape[3], counts_pads, ceil_extra[1]);
  std::vector<double> parts;
  for (const double row : rows) {
    for (const double column : columns) parts.push_back(row * column);
  }
  const bool is_even = std::ranges::all_of(parts, [&](double part) { return part == parts[0]; });
  Composer c(node);
  const Shape kernel = {shape[1], 1, window.kernel[0], window.kernel[1]};
  const Value weight = c.filled(kernel, is_even ? parts[0] : 1, graph::elementTypeOf(image));
  if (!c.ok()) return c.status();
  const Value sums = c.take(node.build().conv(image, weight, {}, window, shape[1]));
  if (is_even) return c.ok() ? Result<Value>(sums) : c.status();
  const Value means =
      c.mul(sums, c.numbers({1, 1, shape[2], shape[3]}, parts, graph::elementTypeOf(image)));
  return c.ok() ? Result<Value>(means) : c.status();
}

Result<Value> windowMean(Node& node, Value image, const graph::Window& window, bool counts_pads,
                         ShapeRef ceil_extra) {
  if (std::ranges::all_of(window.dilations, [](int64_t dilation) { return dilation == 1; })) {
    return node.build().avgPool(image, window, counts_pads, ceil_extra);
  }
  return dilatedMean(node, image, window, counts_pads, ceil_extra);
}

ImagePool meanPool(Node& node) {
  const bool counts_pads = node.integer("count_include_pad", 0) != 0;
  return [&node, counts_pads](Value image, const graph::Window& window, ShapeRef ceil_extra) {
    return windowMean(node, image, window, counts_pads, ceil_extra);
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
  // All elements count, so that the mean is the sum's same share everywhere.
  const Value means =
      c.take(runPool(node, pool, [&](Value image, const graph::Window& window, ShapeRef) {
        return windowMean(node, image, window, /*counts_pads=*/true, Shape{0, 0});
      }));
  const Value sum = c.scale(means, static_cast<double>(graph::elementCount(pool.window.kernel)));
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
