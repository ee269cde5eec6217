// Upsample and Resize, one dimension after the other. Nearest neighbour is a gather of rows or
// columns, or an expansion where every element is repeated equally often; linear and cubic
// interpolation are sums of two or four gathers with constant weights, and of more where a smaller
// result is smoothed (antialias).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/frontend/onnx/compose.h"
#include "compiler/frontend/onnx/op_table.h"
#include "compiler/frontend/onnx/operators/sampling/resize_axes.h"

namespace vta::compiler {
namespace {

using graph::Shape;
using graph::ShapeRef;
using mlir::Value;

/// The attributes that say what lies between elements.
struct Method {
  std::string mode, transformation, rounding;
  double cubic_coefficient = -0.75;
  bool exclude_outside = false;
  bool antialias = false;
  double extrapolation_value = 0;
};

/// The coordinate in the input for output `x`.
Result<double> inputCoordinate(std::string_view mode, const ResizeAxis& axis, int64_t x) {
  double in = static_cast<double>(axis.in), out = static_cast<double>(axis.out);
  double position = static_cast<double>(x);
  if (mode == "half_pixel") return (position + 0.5) / axis.scale - 0.5;
  if (mode == "pytorch_half_pixel") {
    return axis.out > 1 ? (position + 0.5) / axis.scale - 0.5 : 0.0;
  }
  if (mode == "half_pixel_symmetric") {
    // The centres of the input and of the output before its length is rounded down meet.
    const double adjustment = out / (in * axis.scale);
    return in / 2 * (1 - adjustment) + (position + 0.5) / axis.scale - 0.5;
  }
  if (mode == "asymmetric") return position / axis.scale;
  // ONNX's reference divides by the length before it is rounded down to `out`.
  if (mode == "align_corners") {
    return axis.out > 1 ? position * (in - 1) / (in * axis.scale - 1) : 0.0;
  }
  if (mode == "tf_half_pixel_for_nn") return (position + 0.5) / axis.scale;
  if (mode == kCropAndResize) {
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
                             const ResizeAxis& axis) {
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

/// Keys' kernel.
double cubicWeight(double distance, double a) {
  double x = std::abs(distance);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

/// The elements that an output is made of: some on both sides of its coordinate. Where a smaller
/// result is smoothed, they reach as much further as it is smaller.
struct Kernel {
  explicit Kernel(const Method& method, const ResizeAxis& axis)
      : method(method), scale(method.antialias ? std::min(axis.scale, 1.0) : 1) {
    const double reach = method.mode == "linear" ? 1 : 2;
    start = static_cast<int64_t>(std::floor(-reach / scale)) + 1;
  }

  int64_t taps() const { return 2 - 2 * start; }

  double weight(double distance) const {
    if (method.mode == "cubic") return cubicWeight(distance * scale, method.cubic_coefficient);
    return std::max(0.0, 1 - std::abs(distance * scale));
  }

  const Method& method;
  double scale;
  int64_t start;  // the first element, from the one at or before the coordinate
};

/// The weights of the elements from `first` on, around a coordinate.
std::vector<double> weightsAround(const Kernel& kernel, double coordinate, int64_t first,
                                  int64_t extent) {
  std::vector<double> weights;
  double sum = 0;
  for (int64_t at = first; at < first + kernel.taps(); ++at) {
    const bool is_outside = at < 0 || at >= extent;
    const bool counts = !(kernel.method.exclude_outside && is_outside);
    weights.push_back(counts ? kernel.weight(coordinate - static_cast<double>(at)) : 0);
    sum += weights.back();
  }
  const bool is_partial = kernel.method.exclude_outside || kernel.method.antialias;
  if (is_partial && sum != 0) {
    for (double& weight : weights) weight /= sum;
  }
  return weights;
}

Result<std::vector<Tap>> interpolationTaps(const Method& method, const ResizeAxis& axis) {
  const Kernel kernel(method, axis);
  std::vector<Tap> taps(kernel.taps());
  for (int64_t x = 0; x < axis.out; ++x) {
    VTA_ASSIGN_OR_RETURN(double coordinate, inputCoordinate(method.transformation, axis, x));
    const int64_t first = static_cast<int64_t>(std::floor(coordinate)) + kernel.start;
    const std::vector<double> weights = weightsAround(kernel, coordinate, first, axis.in);
    for (size_t i = 0; i < taps.size(); ++i) {
      taps[i].indices.push_back(
          std::clamp<int64_t>(first + static_cast<int64_t>(i), 0, axis.in - 1));
      taps[i].weights.push_back(weights[i]);
    }
  }
  return taps;
}

/// `value` where a crop reaches outside of the input.
Value extrapolated(Composer& c, Node& node, Value value, const Method& method,
                   const ResizeAxis& axis, int64_t dimension) {
  Shape shape(c.rank(value), 1);
  if (method.transformation != kCropAndResize || !c.ok()) return value;
  std::vector<int64_t> is_outside;
  for (int64_t x = 0; x < axis.out; ++x) {
    Result<double> coordinate = inputCoordinate(method.transformation, axis, x);
    is_outside.push_back(*coordinate < 0 || *coordinate > static_cast<double>(axis.in - 1));
  }
  shape[dimension] = axis.out;
  return c.where(c.integers(shape, is_outside, node.ir().getI1Type()),
                 c.numberLike(method.extrapolation_value, value), value);
}

Result<Value> resizeSmooth(Node& node, Value value, const std::vector<ResizeAxis>& axes,
                           const Method& method) {
  Composer c(node);
  mlir::Type type = graph::elementTypeOf(value);
  if (!mlir::isa<mlir::FloatType>(type)) value = c.cast(value, node.ir().getF32Type());
  for (size_t i = 0; i < axes.size() && c.ok(); ++i) {
    if (axes[i].in == axes[i].out && method.transformation != kCropAndResize) continue;
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
int64_t repetitionOf(const Shape& indices, const ResizeAxis& axis) {
  const int64_t factor = axis.out / axis.in;
  if (axis.out % axis.in != 0) return 0;
  for (size_t x = 0; x < indices.size(); ++x) {
    if (indices[x] != static_cast<int64_t>(x) / factor) return 0;
  }
  return factor;
}

/// How often rows and columns are repeated, if that is all that happens to images; else nothing.
Result<Shape> imageRepetition(const std::vector<ResizeAxis>& axes, const Method& method) {
  if (axes.size() != 4 || method.transformation == kCropAndResize) return Shape();
  Shape factors;
  for (const ResizeAxis& axis : axes) {
    VTA_ASSIGN_OR_RETURN(Shape indices,
                         nearestIndices(method.transformation, method.rounding, axis));
    factors.push_back(repetitionOf(indices, axis));
  }
  const bool is_repetition = factors[0] == 1 && factors[1] == 1 && factors[2] > 0 && factors[3] > 0;
  return is_repetition ? Shape{factors[2], factors[3]} : Shape();
}

Result<Value> resizeNearest(Node& node, Value value, const std::vector<ResizeAxis>& axes,
                            const Method& method) {
  VTA_ASSIGN_OR_RETURN(const Shape factors, imageRepetition(axes, method));
  if (!factors.empty()) return node.build().interleave(value, factors, 1, true);
  Composer c(node);
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].in == axes[i].out && method.transformation != kCropAndResize) continue;
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

/// One element becomes as many as are wanted, whatever lies between elements: what was pooled to
/// one pixel, for example.
bool repeatsSingleElements(const std::vector<ResizeAxis>& axes, const Method& method) {
  const bool is_single = std::ranges::all_of(
      axes, [](const ResizeAxis& axis) { return axis.in == axis.out || axis.in == 1; });
  return is_single && method.transformation != kCropAndResize && !method.exclude_outside;
}

Result<Value> resized(Node& node, Value value, const std::vector<ResizeAxis>& axes,
                      const Method& method) {
  if (method.mode == "nearest") return resizeNearest(node, value, axes, method);
  if (method.mode != "linear" && method.mode != "cubic") {
    return invalidArgument(fmt::format("mode '{}' is unknown", method.mode));
  }
  if (repeatsSingleElements(axes, method)) {
    return resizeNearest(node, value, axes, {"nearest", "asymmetric", "floor"});
  }
  return resizeSmooth(node, value, axes, method);
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
  VTA_ASSIGN_OR_RETURN(std::vector<ResizeAxis> axes, axesOfScales(graph::shapeOf(input), scales));
  return node.finish(
      resized(node, input, axes, {node.text("mode", "nearest"), "asymmetric", "floor"}));
}

Status importResize(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "X"));
  VTA_ASSIGN_OR_RETURN(std::vector<ResizeAxis> axes, resizeAxes(node, graph::shapeOf(input)));
  const bool is_first = node.opset() == 10;
  Method method;
  method.mode = node.text("mode", "nearest");
  method.transformation =
      node.text("coordinate_transformation_mode", is_first ? "asymmetric" : "half_pixel");
  method.rounding = node.text("nearest_mode", is_first ? "floor" : "round_prefer_floor");
  method.cubic_coefficient = node.number("cubic_coeff_a", -0.75);
  method.exclude_outside = node.integer("exclude_outside", 0) != 0;
  method.antialias = node.integer("antialias", 0) != 0 && method.mode != "nearest";
  method.extrapolation_value = node.number("extrapolation_value", 0);
  if (method.transformation == kCropAndResize) VTA_RETURN_IF_ERROR(readCrop(node, axes));
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
