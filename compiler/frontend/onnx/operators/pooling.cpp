// MaxPool, AveragePool and their global forms.
#include <fmt/format.h>

#include "compiler/frontend/onnx/op_table.h"
#include "compiler/frontend/onnx/window.h"

namespace vta::compiler {
namespace {

using graph::Shape;
using graph::ShapeRef;
using mlir::Value;

/// Extends the end pads so that rounding down gives the number of outputs that ceil_mode asks for;
/// returns how far. A window that would begin in the end padding is left out.
Shape applyCeilMode(ShapeRef extents, SpatialWindow& window) {
  Shape extra(2, 0);
  for (size_t i = 0; i < 2; ++i) {
    int64_t reach = (window.kernel[i] - 1) * window.dilations[i] + 1;
    int64_t stride = window.strides[i];
    int64_t span = extents[i] + window.pads[i] + window.pads[2 + i] - reach;
    if (span < 0) continue;
    int64_t outputs = (span + stride - 1) / stride + 1;
    if ((outputs - 1) * stride >= extents[i] + window.pads[i]) --outputs;
    extra[i] = std::max<int64_t>((outputs - 1) * stride - span, 0);
    window.pads[2 + i] += extra[i];
  }
  return extra;
}

struct Pool {
  Value input;
  size_t rank = 0;
  SpatialWindow window;
  Shape ceil_extra;
};

Result<Pool> readPool(Node& node) {
  Pool pool;
  VTA_ASSIGN_OR_RETURN(pool.input, node.input(0, "X"));
  pool.rank = graph::shapeOf(pool.input).size();
  VTA_ASSIGN_OR_RETURN(pool.input, toRank4(node, pool.input));
  std::optional<Shape> kernel = node.integerList("kernel_shape");
  if (!kernel) return invalidArgument("attribute 'kernel_shape' is missing");
  ShapeRef extents = graph::shapeOf(pool.input).subspan(2);
  VTA_ASSIGN_OR_RETURN(pool.window,
                       readWindow(node, extents.subspan(pool.rank == 3 ? 1 : 0), *kernel));
  pool.ceil_extra =
      node.integer("ceil_mode", 0) ? applyCeilMode(extents, pool.window) : Shape(2, 0);
  return pool;
}

Status importMaxPool(Node& node) {
  VTA_ASSIGN_OR_RETURN(Pool pool, readPool(node));
  return node.finish(
      fromRank4(node, node.build().maxPool(pool.input, pool.window.view()), pool.rank));
}

Status importAveragePool(Node& node) {
  VTA_ASSIGN_OR_RETURN(Pool pool, readPool(node));
  if (pool.window.dilations != Shape{1, 1}) {
    return unsupported("average pooling with dilations is not supported");
  }
  Result<Value> output = node.build().avgPool(
      pool.input, pool.window.view(), node.integer("count_include_pad", 0) != 0, pool.ceil_extra);
  return node.finish(fromRank4(node, output, pool.rank));
}

Result<Pool> globalPool(Node& node) {
  Pool pool;
  VTA_ASSIGN_OR_RETURN(pool.input, node.input(0, "X"));
  pool.rank = graph::shapeOf(pool.input).size();
  VTA_ASSIGN_OR_RETURN(pool.input, toRank4(node, pool.input));
  ShapeRef shape = graph::shapeOf(pool.input);
  pool.window = {{shape[2], shape[3]}, {1, 1}, {0, 0, 0, 0}, {1, 1}};
  return pool;
}

Status importGlobalMaxPool(Node& node) {
  VTA_ASSIGN_OR_RETURN(Pool pool, globalPool(node));
  return node.finish(
      fromRank4(node, node.build().maxPool(pool.input, pool.window.view()), pool.rank));
}

Status importGlobalAveragePool(Node& node) {
  VTA_ASSIGN_OR_RETURN(Pool pool, globalPool(node));
  Result<Value> output = node.build().avgPool(pool.input, pool.window.view(), false, Shape{0, 0});
  return node.finish(fromRank4(node, output, pool.rank));
}

constexpr OpEntry kOps[] = {
    {"AveragePool", 1, 21, importAveragePool},
    {"GlobalAveragePool", 1, 21, importGlobalAveragePool},
    {"GlobalMaxPool", 1, 21, importGlobalMaxPool},
    {"MaxPool", 1, 21, importMaxPool},
};

}  // namespace

std::span<const OpEntry> poolingOps() { return kOps; }

}  // namespace vta::compiler
