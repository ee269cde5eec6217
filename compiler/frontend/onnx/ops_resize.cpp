// Upsample and Resize by nearest neighbour: a gather of rows and columns, or an expansion where
// every element is repeated equally often.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/frontend/onnx/op_table.h"

namespace vta::compiler {
namespace {

using graph::Shape;
using graph::ShapeRef;
using mlir::Value;

/// How one dimension is resized.
struct Axis {
  int64_t in = 0, out = 0;
  double scale = 1;
};

/// The coordinate in the input for output `x`.
Result<double> inputCoordinate(std::string_view mode, const Axis& axis, int64_t x) {
  double in = static_cast<double>(axis.in), out = static_cast<double>(axis.out);
  double position = static_cast<double>(x);
  if (mode == "half_pixel") return (position + 0.5) / axis.scale - 0.5;
  if (mode == "pytorch_half_pixel") {
    return axis.out > 1 ? (position + 0.5) / axis.scale - 0.5 : 0.0;
  }
  if (mode == "asymmetric") return position / axis.scale;
  if (mode == "align_corners") return axis.out > 1 ? position * (in - 1) / (out - 1) : 0.0;
  if (mode == "tf_half_pixel_for_nn") return (position + 0.5) / axis.scale;
  return unsupported(fmt::format("coordinate transformation '{}' is not supported", mode));
}

Result<int64_t> nearest(std::string_view mode, double coordinate) {
  if (mode == "round_prefer_floor") return static_cast<int64_t>(std::ceil(coordinate - 0.5));
  if (mode == "round_prefer_ceil") return static_cast<int64_t>(std::floor(coordinate + 0.5));
  if (mode == "floor") return static_cast<int64_t>(std::floor(coordinate));
  if (mode == "ceil") return static_cast<int64_t>(std::ceil(coordinate));
  return invalidArgument(fmt::format("nearest_mode '{}' is unknown", mode));
}

/// The input index of every output index.
Result<Shape> nearestIndices(std::string_view transformation, std::string_view rounding,
                             const Axis& axis) {
  Shape indices;
  for (int64_t x = 0; x < axis.out; ++x) {
    VTA_ASSIGN_OR_RETURN(double coordinate, inputCoordinate(transformation, axis, x));
    VTA_ASSIGN_OR_RETURN(int64_t index, nearest(rounding, coordinate));
    indices.push_back(std::clamp<int64_t>(index, 0, axis.in - 1));
  }
  return indices;
}

/// [.., d, ..] as [.., d, 1, ..], expanded to [.., d, r, ..] and flattened.
Result<Value> repeated(Node& node, Value value, int64_t dimension, int64_t times) {
  ShapeRef shape = graph::shapeOf(value);
  Shape split(shape.begin(), shape.end());
  Shape result = split;
  result[dimension] *= times;
  split.insert(split.begin() + dimension + 1, 1);
  VTA_ASSIGN_OR_RETURN(value, node.build().reshape(value, split));
  split[dimension + 1] = times;
  VTA_ASSIGN_OR_RETURN(value, node.build().expand(value, split));
  return node.build().reshape(value, result);
}

Result<Value> resizeNearest(Node& node, Value value, const std::vector<Axis>& axes,
                            std::string_view transformation, std::string_view rounding) {
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].in == axes[i].out) continue;
    VTA_ASSIGN_OR_RETURN(Shape indices, nearestIndices(transformation, rounding, axes[i]));
    int64_t factor = axes[i].out / axes[i].in;
    bool is_repetition = axes[i].out % axes[i].in == 0;
    for (size_t x = 0; is_repetition && x < indices.size(); ++x) {
      is_repetition = indices[x] == static_cast<int64_t>(x) / factor;
    }
    int64_t dimension = static_cast<int64_t>(i);
    if (is_repetition) {
      VTA_ASSIGN_OR_RETURN(value, repeated(node, value, dimension, factor));
    } else {
      VTA_ASSIGN_OR_RETURN(value,
                           node.build().gather(value, node.build().constant(indices), dimension));
    }
  }
  return value;
}

Result<std::vector<Axis>> axesFromScales(ShapeRef shape, const std::vector<double>& scales) {
  if (scales.size() != shape.size()) {
    return invalidArgument(
        fmt::format("{} scales for a tensor of rank {}", scales.size(), shape.size()));
  }
  std::vector<Axis> axes;
  for (size_t i = 0; i < shape.size(); ++i) {
    double extent = std::floor(static_cast<double>(shape[i]) * scales[i]);
    if (!(extent >= 1 && extent < 1e9)) return invalidArgument("a scale is not legal");
    axes.push_back({shape[i], static_cast<int64_t>(extent), scales[i]});
  }
  return axes;
}

Result<std::vector<Axis>> axesFromSizes(ShapeRef shape, const Shape& sizes) {
  if (sizes.size() != shape.size()) {
    return invalidArgument(
        fmt::format("{} sizes for a tensor of rank {}", sizes.size(), shape.size()));
  }
  std::vector<Axis> axes;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (sizes[i] <= 0) return invalidArgument("a size is not positive");
    axes.push_back({shape[i], sizes[i], static_cast<double>(sizes[i]) / shape[i]});
  }
  return axes;
}

Status checkNearest(Node& node) {
  std::string mode = node.text("mode", "nearest");
  if (mode == "nearest") return {};
  return unsupported(fmt::format("mode '{}' is not supported, only 'nearest'", mode));
}

Status importUpsample(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "X"));
  VTA_RETURN_IF_ERROR(checkNearest(node));
  std::vector<double> scales = node.numberList("scales").value_or(std::vector<double>());
  if (node.opset() >= 9) {
    VTA_ASSIGN_OR_RETURN(scales, node.numbers(1, "scales"));
  }
  VTA_ASSIGN_OR_RETURN(std::vector<Axis> axes, axesFromScales(graph::shapeOf(input), scales));
  return node.finish(resizeNearest(node, input, axes, "asymmetric", "floor"));
}

Status importResize(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "X"));
  VTA_RETURN_IF_ERROR(checkNearest(node));
  bool has_policy = node.text("keep_aspect_ratio_policy", "stretch") != "stretch";
  if (node.hasAttribute("axes") || has_policy) {
    return unsupported("'axes' and 'keep_aspect_ratio_policy' are not supported");
  }
  ShapeRef shape = graph::shapeOf(input);
  size_t scales_index = node.opset() == 10 ? 1 : 2;
  std::vector<double> scales;
  if (node.hasInput(scales_index)) {
    VTA_ASSIGN_OR_RETURN(scales, node.numbers(scales_index, "scales"));
  }
  std::vector<Axis> axes;
  if (!scales.empty()) {
    VTA_ASSIGN_OR_RETURN(axes, axesFromScales(shape, scales));
  } else {
    VTA_ASSIGN_OR_RETURN(Shape sizes, node.integers(3, "sizes"));
    VTA_ASSIGN_OR_RETURN(axes, axesFromSizes(shape, sizes));
  }
  bool is_first = node.opset() == 10;
  std::string transformation =
      node.text("coordinate_transformation_mode", is_first ? "asymmetric" : "half_pixel");
  std::string rounding = node.text("nearest_mode", is_first ? "floor" : "round_prefer_floor");
  return node.finish(resizeNearest(node, input, axes, transformation, rounding));
}

constexpr OpEntry kOps[] = {
    {"Resize", 10, 21, importResize},
    {"Upsample", 7, 9, importUpsample},
};

}  // namespace

std::span<const OpEntry> resizeOps() { return kOps; }

}  // namespace vta::compiler
