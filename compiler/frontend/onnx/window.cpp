#include "compiler/frontend/onnx/window.h"

#include <fmt/format.h>

#include <algorithm>

namespace vta::compiler {
namespace {

using graph::Shape;
using graph::ShapeRef;

/// Pads that make the output ceil(input / stride) long; the odd one at the end or the beginning.
void samePads(ShapeRef extents, SpatialWindow& window, bool odd_at_end) {
  size_t rank = extents.size();
  for (size_t i = 0; i < rank; ++i) {
    int64_t stride = window.strides[i];
    int64_t outputs = (extents[i] + stride - 1) / stride;
    int64_t reach = (window.kernel[i] - 1) * window.dilations[i] + 1;
    int64_t total = std::max<int64_t>((outputs - 1) * stride + reach - extents[i], 0);
    int64_t lesser = total / 2, greater = total - lesser;
    window.pads[i] = odd_at_end ? lesser : greater;
    window.pads[rank + i] = odd_at_end ? greater : lesser;
  }
}

Status readPads(Node& node, ShapeRef extents, SpatialWindow& window) {
  size_t rank = extents.size();
  std::string auto_pad = node.text("auto_pad", "NOTSET");
  window.pads.assign(2 * rank, 0);
  if (auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER") {
    samePads(extents, window, auto_pad == "SAME_UPPER");
  } else if (auto_pad == "NOTSET" || auto_pad.empty()) {
    VTA_ASSIGN_OR_RETURN(window.pads, spatialList(node, "pads", 2 * rank, 0));
  } else if (auto_pad != "VALID") {
    return invalidArgument(fmt::format("auto_pad '{}' is unknown", auto_pad));
  }
  return {};
}

/// The extents of the output that a transposed convolution asks for; nothing if its pads give them.
Result<std::optional<Shape>> wantedOutput(Node& node, ShapeRef extents, size_t spatial,
                                          const SpatialWindow& window) {
  std::optional<Shape> wanted = node.integerList("output_shape");
  if (!wanted) {
    if (!node.text("auto_pad", "NOTSET").starts_with("SAME")) return wanted;
    wanted.emplace();
    for (size_t i = 0; i < extents.size(); ++i) {
      wanted->push_back(extents[i] * window.strides[i]);
    }
    return wanted;
  }
  // Some exporters give the batch and the channels, too.
  if (wanted->size() == spatial + 2) wanted->erase(wanted->begin(), wanted->begin() + 2);
  if (wanted->size() != spatial) {
    return invalidArgument("output_shape has another rank than the input");
  }
  constexpr int64_t kMost = int64_t{1} << 31;
  if (std::ranges::any_of(*wanted, [](int64_t x) { return x < 1 || x > kMost; })) {
    return invalidArgument(
        fmt::format("output_shape {} is out of range", graph::shapeText(*wanted)));
  }
  if (spatial < extents.size()) wanted->insert(wanted->begin(), 1);
  return wanted;
}

}  // namespace

Result<Shape> readTransposedWindow(Node& node, ShapeRef extents, size_t spatial,
                                   SpatialWindow& window) {
  VTA_ASSIGN_OR_RETURN(Shape output_padding, spatialList(node, "output_padding", spatial, 0));
  if (spatial < extents.size()) output_padding.insert(output_padding.begin(), 0);
  VTA_ASSIGN_OR_RETURN(const std::optional<Shape> wanted,
                       wantedOutput(node, extents, spatial, window));
  if (!wanted) return output_padding;
  // ONNX: the odd pad goes to the beginning unless SAME_UPPER is asked for, so without auto_pad.
  const bool odd_at_end = node.text("auto_pad", "NOTSET") == "SAME_UPPER";
  const size_t rank = extents.size();
  for (size_t i = 0; i < rank; ++i) {
    const int64_t full = (extents[i] - 1) * window.strides[i] + output_padding[i] +
                         (window.kernel[i] - 1) * window.dilations[i] + 1;
    const int64_t total = std::max<int64_t>(full - (*wanted)[i], 0);
    window.pads[i] = odd_at_end ? total / 2 : total - total / 2;
    window.pads[rank + i] = total - window.pads[i];
    output_padding[i] += std::max<int64_t>((*wanted)[i] - full, 0);
  }
  return output_padding;
}

Result<Shape> spatialList(Node& node, std::string_view name, size_t rank, int64_t otherwise) {
  Shape values = node.integerList(name).value_or(Shape(rank, otherwise));
  // What follows adds and multiplies them.
  constexpr int64_t kMost = int64_t{1} << 31;
  if (std::ranges::any_of(values, [](int64_t x) { return x < -kMost || x > kMost; })) {
    return invalidArgument(
        fmt::format("attribute '{}' {} is out of range", name, graph::shapeText(values)));
  }
  if (values.size() == rank) return values;
  return invalidArgument(
      fmt::format("attribute '{}' needs {} values, got {}", name, rank, values.size()));
}

Result<SpatialWindow> readWindow(Node& node, ShapeRef extents, Shape kernel) {
  size_t rank = extents.size();
  if (kernel.size() != rank) {
    return invalidArgument(fmt::format("a kernel of shape {} does not fit {} spatial dimension(s)",
                                       graph::shapeText(kernel), rank));
  }
  SpatialWindow window;
  window.kernel = std::move(kernel);
  VTA_ASSIGN_OR_RETURN(window.strides, spatialList(node, "strides", rank, 1));
  VTA_ASSIGN_OR_RETURN(window.dilations, spatialList(node, "dilations", rank, 1));
  if (std::ranges::any_of(window.strides, [](int64_t stride) { return stride <= 0; })) {
    return invalidArgument("expects positive strides, got " + graph::shapeText(window.strides));
  }
  VTA_RETURN_IF_ERROR(readPads(node, extents, window));
  if (rank == 1) {
    window.kernel.insert(window.kernel.begin(), 1);
    window.strides.insert(window.strides.begin(), 1);
    window.dilations.insert(window.dilations.begin(), 1);
    window.pads = {0, window.pads[0], 0, window.pads[1]};
  }
  return window;
}

Result<mlir::Value> toRank4(Node& node, mlir::Value value) {
  ShapeRef shape = graph::shapeOf(value);
  if (shape.size() == 4) return value;
  if (shape.size() == 3) return node.build().reshape(value, Shape{shape[0], shape[1], 1, shape[2]});
  return unsupported(fmt::format("only one and two spatial dimensions are supported, got shape {}",
                                 graph::shapeText(shape)));
}

Result<mlir::Value> fromRank4(Node& node, Result<mlir::Value> value, size_t rank) {
  if (!value.ok() || rank == 4) return value;
  ShapeRef shape = graph::shapeOf(*value);
  return node.build().reshape(*value, Shape{shape[0], shape[1], shape[3]});
}

}  // namespace vta::compiler
