#include "compiler/frontend/onnx/operators/sampling/resize_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "compiler/frontend/onnx/compose.h"

namespace vta::compiler {
namespace {

using graph::Shape;
using graph::ShapeRef;

/// The dimensions that attribute `axes` names, or all.
Result<Shape> namedAxes(Node& node, ShapeRef shape) {
  Shape all;
  for (size_t i = 0; i < shape.size(); ++i) all.push_back(static_cast<int64_t>(i));
  const std::optional<Shape> named = node.integerList("axes");
  if (!named) return all;
  return normalizeAxes(*named, static_cast<int64_t>(shape.size()));
}

/// Values for all dimensions, of which those in `axes` are given and the others `otherwise`.
template <typename T, typename Otherwise>
Result<std::vector<T>> forAllAxes(const char* what, const std::vector<T>& given, const Shape& axes,
                                  ShapeRef shape, Otherwise otherwise) {
  if (given.size() != axes.size()) {
    return invalidArgument(fmt::format("{} {} for {} dimensions", given.size(), what, axes.size()));
  }
  std::vector<T> values;
  for (size_t i = 0; i < shape.size(); ++i) values.push_back(otherwise(i));
  for (size_t i = 0; i < axes.size(); ++i) values[axes[i]] = given[i];
  return values;
}

/// The one scale of all `axes` with which the input fits the sizes, or covers them; none if each
/// has its own.
Result<std::optional<double>> commonScale(std::string_view policy, const Shape& axes,
                                          const std::vector<ResizeAxis>& resized) {
  if (policy == "stretch" || axes.empty()) return std::optional<double>();
  std::vector<double> scales;
  for (int64_t axis : axes) scales.push_back(resized[axis].scale);
  const auto [least, largest] = std::ranges::minmax(scales);
  if (policy == "not_larger") return std::optional(least);
  if (policy == "not_smaller") return std::optional(largest);
  return invalidArgument(fmt::format("keep_aspect_ratio_policy '{}' is unknown", policy));
}

Result<std::vector<ResizeAxis>> axesOfSizes(ShapeRef shape, const std::vector<int64_t>& sizes,
                                            const Shape& named, std::string_view policy) {
  std::vector<ResizeAxis> axes;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (sizes[i] <= 0) return invalidArgument("a size is not positive");
    axes.push_back({shape[i], sizes[i], static_cast<double>(sizes[i]) / shape[i]});
  }
  VTA_ASSIGN_OR_RETURN(const std::optional<double> scale, commonScale(policy, named, axes));
  if (!scale) return axes;
  for (int64_t axis : named) {
    axes[axis].scale = *scale;
    axes[axis].out =
        static_cast<int64_t>(std::floor(*scale * static_cast<double>(shape[axis]) + 0.5));
  }
  return axes;
}

}  // namespace

Result<std::vector<ResizeAxis>> axesOfScales(ShapeRef shape, const std::vector<double>& scales) {
  if (scales.size() != shape.size()) {
    return invalidArgument(fmt::format("{} scales for {} dimensions", scales.size(), shape.size()));
  }
  std::vector<ResizeAxis> axes;
  for (size_t i = 0; i < shape.size(); ++i) {
    double extent = std::floor(static_cast<double>(shape[i]) * scales[i]);
    if (!(extent >= 1 && extent < 1e9)) return invalidArgument("a scale is not legal");
    axes.push_back({shape[i], static_cast<int64_t>(extent), scales[i]});
  }
  return axes;
}

Result<std::vector<ResizeAxis>> resizeAxes(Node& node, ShapeRef shape) {
  VTA_ASSIGN_OR_RETURN(const Shape named, namedAxes(node, shape));
  const size_t scales_index = node.opset() == 10 ? 1 : 2;
  std::vector<double> scales;
  if (node.hasInput(scales_index)) {
    VTA_ASSIGN_OR_RETURN(scales, node.numbers(scales_index, "scales"));
  }
  if (!scales.empty()) {
    VTA_ASSIGN_OR_RETURN(scales,
                         forAllAxes("scales", scales, named, shape, [](size_t) { return 1.0; }));
    return axesOfScales(shape, scales);
  }
  VTA_ASSIGN_OR_RETURN(const Shape wanted, node.integers(3, "sizes"));
  VTA_ASSIGN_OR_RETURN(std::vector<int64_t> sizes,
                       forAllAxes("sizes", std::vector<int64_t>(wanted.begin(), wanted.end()),
                                  named, shape, [&](size_t i) { return shape[i]; }));
  return axesOfSizes(shape, sizes, named, node.text("keep_aspect_ratio_policy", "stretch"));
}

Status readCrop(Node& node, std::vector<ResizeAxis>& axes) {
  const Shape shape(axes.size(), 0);
  VTA_ASSIGN_OR_RETURN(const Shape named, namedAxes(node, shape));
  VTA_ASSIGN_OR_RETURN(const std::vector<double> roi, node.numbers(1, "roi"));
  if (roi.size() != 2 * named.size()) {
    return invalidArgument(
        fmt::format("'roi' has {} numbers for {} dimensions", roi.size(), named.size()));
  }
  for (size_t i = 0; i < named.size(); ++i) {
    ResizeAxis& axis = axes[named[i]];
    axis.crop_start = roi[i];
    axis.crop_end = roi[named.size() + i];
    if (!(std::abs(axis.crop_start) < 1e6 && std::abs(axis.crop_end) < 1e6)) {
      return invalidArgument("'roi' is out of range");
    }
  }
  return {};
}

}  // namespace vta::compiler
