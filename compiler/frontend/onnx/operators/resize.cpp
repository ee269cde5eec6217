// Upsample and Resize, one dimension after the other. Nearest neighbour is a gather of rows or
// columns, or an expansion where every element is repeated equally often; linear and cubic
// interpolation are sums of two or four gathers with constant weights.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/frontend/onnx/compose.h"
#include "compiler/frontend/onnx/op_table.h"

namespace vta::compiler {
namespace {

using graph::Shape;
using graph::ShapeRef;
using mlir::Value;

constexpr std::string_view kCrop = "tf_crop_and_resize";

/// How one dimension is resized.
struct Axis {
  int64_t in = 0, out = 0;
  double scale = 1;
  double crop_start = 0, crop_end = 1;  // of the input's extent, for kCrop
};

/// The attributes that say what lies between elements.
struct Method {
  std::string mode, transformation, rounding;
  double cubic_coefficient = -0.75;
  bool exclude_outside = false;
  double extrapolation_value = 0;
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
  // ONNX's reference divides by the length before it is rounded down to `out`.
  if (mode == "align_corners") {
    return axis.out > 1 ? position * (in - 1) / (in * axis.scale - 1) : 0.0;
  }
  if (mode == "tf_half_pixel_for_nn") return (position + 0.5) / axis.scale;
  if (mode == kCrop) {
    double start = axis.crop_start * (in - 1),
           length = (axis.crop_end - axis.crop_start) * (in - 1);
    return axis.out > 1 ? start + position * length / (out - 1) : start + 0.5 * length;
  }
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

/// The input elements that make up every output element of one dimension: index and weight.
struct Tap {
  Shape indices;
  std::vector<double> weights;
};

/// Keys' kernel at a distance below 2.
double cubicWeight(double distance, double a) {
  double x = std::abs(distance);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
}

/// The weights of the elements around a coordinate: from `first` on, for two or four of them.
std::vector<double> weightsAround(const Method& method, double fraction, int64_t first,
                                  int64_t extent) {
  if (method.mode == "linear") return {1 - fraction, fraction};
  std::vector<double> weights;
  double sum = 0;
  for (int64_t i = 0; i < 4; ++i) {
    bool is_outside = first + i < 0 || first + i >= extent;
    double distance = fraction - static_cast<double>(i - 1);
    double weight = cubicWeight(distance, method.cubic_coefficient);
    weights.push_back(method.exclude_outside && is_outside ? 0 : weight);
    sum += weights.back();
  }
  if (method.exclude_outside && sum != 0) {
    for (double& weight : weights) weight /= sum;
  }
  return weights;
}

Result<std::vector<Tap>> interpolationTaps(const Method& method, const Axis& axis) {
  bool is_linear = method.mode == "linear";
  std::vector<Tap> taps(is_linear ? 2 : 4);
  for (int64_t x = 0; x < axis.out; ++x) {
    VTA_ASSIGN_OR_RETURN(double coordinate, inputCoordinate(method.transformation, axis, x));
    double floor = std::floor(coordinate);
    int64_t first = static_cast<int64_t>(floor) - (is_linear ? 0 : 1);
    std::vector<double> weights = weightsAround(method, coordinate - floor, first, axis.in);
    for (size_t i = 0; i < taps.size(); ++i) {
      taps[i].indices.push_back(
          std::clamp<int64_t>(first + static_cast<int64_t>(i), 0, axis.in - 1));
      taps[i].weights.push_back(weights[i]);
    }
  }
  return taps;
}

/// `value` where a crop reaches outside of the input.
Value extrapolated(Composer& c, Node& node, Value value, const Method& method, const Axis& axis,
                   int64_t dimension) {
  Shape shape(c.rank(value), 1);
  if (method.transformation != kCrop || !c.ok()) return value;
  std::vector<int64_t> is_outside;
  for (int64_t x = 0; x < axis.out; ++x) {
    Result<double> coordinate = inputCoordinate(method.transformation, axis, x);
    is_outside.push_back(*coordinate < 0 || *coordinate > static_cast<double>(axis.in - 1));
  }
  shape[dimension] = axis.out;
  return c.where(c.integers(shape, is_outside, node.ir().getI1Type()),
                 c.numberLike(method.extrapolation_value, value), value);
}

Result<Value> resizeSmooth(Node& node, Value value, const std::vector<Axis>& axes,
                           const Method& method) {
  Composer c(node);
  mlir::Type type = graph::elementTypeOf(value);
  if (!mlir::isa<mlir::FloatType>(type)) value = c.cast(value, node.ir().getF32Type());
  for (size_t i = 0; i < axes.size() && c.ok(); ++i) {
    if (axes[i].in == axes[i].out && method.transformation != kCrop) continue;
    auto dimension = static_cast<int64_t>(i);
    VTA_ASSIGN_OR_RETURN(std::vector<Tap> taps, interpolationTaps(method, axes[i]));
    Shape shape(axes.size(), 1);
    shape[i] = axes[i].out;
    Value sum;
    for (const Tap& tap : taps) {
      Value rows = c.gather(value, node.build().constant(tap.indices), dimension);
      if (!c.ok()) return c.status();
      Value term = c.mul(rows, c.numbers(shape, tap.weights, graph::elementTypeOf(rows)));
      sum = sum ? c.add(sum, term) : term;
    }
    value = extrapolated(c, node, sum, method, axes[i], dimension);
  }
  value = c.cast(value, type);
  if (!c.ok()) return c.status();
  return value;
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

/// How often every index occurs, if all occur equally often and in order; else 0.
int64_t repetitionOf(const Shape& indices, const Axis& axis) {
  const int64_t factor = axis.out / axis.in;
  if (axis.out % axis.in != 0) return 0;
  for (size_t x = 0; x < indices.size(); ++x) {
    if (indices[x] != static_cast<int64_t>(x) / factor) return 0;
  }
  return factor;
}

/// How often rows and columns are repeated, if that is all that happens to images; else nothing.
Result<Shape> imageRepetition(const std::vector<Axis>& axes, const Method& method) {
  if (axes.size() != 4 || method.transformation == kCrop) return Shape();
  Shape factors;
  for (const Axis& axis : axes) {
    VTA_ASSIGN_OR_RETURN(Shape indices,
                         nearestIndices(method.transformation, method.rounding, axis));
    factors.push_back(repetitionOf(indices, axis));
  }
  const bool is_repetition = factors[0] == 1 && factors[1] == 1 && factors[2] > 0 && factors[3] > 0;
  return is_repetition ? Shape{factors[2], factors[3]} : Shape();
}

Result<Value> resizeNearest(Node& node, Value value, const std::vector<Axis>& axes,
                            const Method& method) {
  VTA_ASSIGN_OR_RETURN(const Shape factors, imageRepetition(axes, method));
  if (!factors.empty()) return node.build().interleave(value, factors, 1, true);
  Composer c(node);
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].in == axes[i].out && method.transformation != kCrop) continue;
    VTA_ASSIGN_OR_RETURN(Shape indices,
                         nearestIndices(method.transformation, method.rounding, axes[i]));
    const int64_t factor = repetitionOf(indices, axes[i]);
    int64_t dimension = static_cast<int64_t>(i);
    if (factor > 0) {
      VTA_ASSIGN_OR_RETURN(value, repeated(node, value, dimension, factor));
    } else {
      VTA_ASSIGN_OR_RETURN(value,
                           node.build().gather(value, node.build().constant(indices), dimension));
    }
    value = extrapolated(c, node, value, method, axes[i], dimension);
    if (!c.ok()) return c.status();
  }
  return value;
}

Result<Value> resized(Node& node, Value value, const std::vector<Axis>& axes,
                      const Method& method) {
  if (method.mode == "nearest") return resizeNearest(node, value, axes, method);
  if (method.mode == "linear" || method.mode == "cubic") {
    return resizeSmooth(node, value, axes, method);
  }
  return invalidArgument(fmt::format("mode '{}' is unknown", method.mode));
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

/// Start and end of the crop of every dimension.
Status readCrop(Node& node, std::vector<Axis>& axes) {
  VTA_ASSIGN_OR_RETURN(std::vector<double> roi, node.numbers(1, "roi"));
  if (roi.size() != 2 * axes.size()) {
    return invalidArgument(
        fmt::format("'roi' has {} numbers for a tensor of rank {}", roi.size(), axes.size()));
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    axes[i].crop_start = roi[i];
    axes[i].crop_end = roi[axes.size() + i];
    if (!(std::abs(roi[i]) < 1e6 && std::abs(roi[axes.size() + i]) < 1e6)) {
      return invalidArgument("'roi' is out of range");
    }
  }
  return {};
}

Status importUpsample(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "X"));
  std::vector<double> scales = node.numberList("scales").value_or(std::vector<double>());
  if (node.opset() < 7) {
    scales = {1, 1, node.number("height_scale", 1), node.number("width_scale", 1)};
  }
  if (node.opset() >= 9) {
    VTA_ASSIGN_OR_RETURN(scales, node.numbers(1, "scales"));
  }
  VTA_ASSIGN_OR_RETURN(std::vector<Axis> axes, axesFromScales(graph::shapeOf(input), scales));
  return node.finish(
      resized(node, input, axes, {node.text("mode", "nearest"), "asymmetric", "floor"}));
}

Status importResize(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "X"));
  if (node.integer("antialias", 0)) return unsupported("'antialias' is not supported");
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
  Method method;
  method.mode = node.text("mode", "nearest");
  method.transformation =
      node.text("coordinate_transformation_mode", is_first ? "asymmetric" : "half_pixel");
  method.rounding = node.text("nearest_mode", is_first ? "floor" : "round_prefer_floor");
  method.cubic_coefficient = node.number("cubic_coeff_a", -0.75);
  method.exclude_outside = node.integer("exclude_outside", 0) != 0;
  method.extrapolation_value = node.number("extrapolation_value", 0);
  if (method.transformation == kCrop) VTA_RETURN_IF_ERROR(readCrop(node, axes));
  return node.finish(resized(node, input, axes, method));
}

}  // namespace

std::span<const OpEntry> resizeOps() {
  static constexpr OpEntry kOps[] = {
      {"Resize", 10, kLatest, importResize},
      {"Upsample", 1, 9, importUpsample},
  };
  return kOps;
}

}  // namespace vta::compiler
