// Quantisers of QONNX, which Brevitas and FINN write: floats in, floats of few bits out.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>

#include "compiler/dialects/graph/constant_tensor.h"
#include "compiler/frontend/onnx/op_table.h"
#include "compiler/frontend/onnx/operators/integer/quantization.h"
#include "compiler/frontend/onnx/operators/integer/quantize.h"

namespace vta::compiler {
namespace {

using graph::Shape;
using graph::UnaryKind;
using mlir::Value;

/// The integers that a quantiser gives.
struct IntegerRange {
  double least = 0, most = 0;
  bool is_signed = true;
  int64_t bits = 8;

  /// A type of 8 or 16 bits that holds them; null if there is none.
  mlir::IntegerType type(mlir::OpBuilder& builder) const {
    if (bits > 16) return {};
    const unsigned width = bits > 8 ? 16 : 8;
    return is_signed ? builder.getIntegerType(width)
                     : builder.getIntegerType(width, /*isSigned=*/false);
  }
};

/// The number of bits at an input, a constant.
Result<int64_t> readBits(Node& node, size_t index) {
  VTA_ASSIGN_OR_RETURN(const std::vector<double> bits, node.numbers(index, "bit width"));
  constexpr double kMostBits = 32;
  if (bits.size() == 1 && bits[0] >= 1 && bits[0] <= kMostBits && bits[0] == std::floor(bits[0])) {
    return static_cast<int64_t>(bits[0]);
  }
  return invalidArgument(fmt::format("its bit width is {}; a whole number from 1 to {} is legal",
                                     bits.size() == 1 ? bits[0] : std::nan(""), kMostBits));
}

IntegerRange rangeOf(int64_t bits, bool is_signed, bool is_narrow) {
  const double span = std::exp2(static_cast<double>(is_signed ? bits - 1 : bits));
  const double narrow = is_narrow ? 1 : 0;
  if (is_signed) return {-span + narrow, span - 1, true, bits};
  return {0, span - 1 - narrow, false, bits};
}

/// One constant scale and whole zero point for the tensor, or one for each index of an axis.
struct AxisParameters {
  std::vector<float> scales;
  Shape zero_points;
  int64_t axis = 0;
};

/// Where along `shape` a constant that broadcasts to it varies: the axis, 0 if nowhere; none where
/// it varies along several.
std::optional<int64_t> axisOf(const Shape& constant, const Shape& shape) {
  std::optional<int64_t> axis = 0;
  if (graph::elementCount(constant) == 1) return axis;
  if (constant.size() > shape.size()) return std::nullopt;
  const size_t missing = shape.size() - constant.size();
  axis.reset();
  for (size_t i = 0; i < constant.size(); ++i) {
    if (constant[i] == 1) continue;
    if (axis || constant[i] != shape[i + missing]) return std::nullopt;
    axis = static_cast<int64_t>(i + missing);
  }
  return axis;
}

/// The scale and the zero point at two inputs as they are for graph.quantize, with integers in
/// `range`; none where it has no form for them.
Result<std::optional<AxisParameters>> readAxisParameters(Node& node, const Shape& shape,
                                                         size_t scale_index,
                                                         size_t zero_point_index,
                                                         const IntegerRange& range) {
  std::optional<AxisParameters> none;
  VTA_ASSIGN_OR_RETURN(const Value scale_input, node.input(scale_index, "scale"));
  const auto scale = graph::constantOf(scale_input);
  const Value zero_input = node.optionalInput(zero_point_index);
  const auto zero = zero_input ? graph::constantOf(zero_input) : mlir::DenseElementsAttr();
  if (!scale || (zero_input && !zero)) return none;
  VTA_ASSIGN_OR_RETURN(const std::vector<double> scales, node.numbers(scale_index, "scale"));
  for (const double value : scales) {
    if (value > 0 && std::isfinite(value)) continue;
    return invalidArgument(
        fmt::format("its scale is {}; scales are positive and finite: train or export the model "
                    "again",
                    value));
  }
  std::vector<double> zeros = zero ? graph::ConstantTensor(zero).asDoubles() : std::vector{0.0};
  if (zeros.size() == 1) zeros.assign(scales.size(), zeros[0]);
  const auto scale_shape = graph::shapeOf(scale_input);
  const auto axis = axisOf(Shape(scale_shape.begin(), scale_shape.end()), shape);
  if (!axis || zeros.size() != scales.size() || range.bits > 16) return none;
  AxisParameters result{{scales.begin(), scales.end()}, {}, *axis};
  const IntegerRange type = rangeOf(range.bits > 8 ? 16 : 8, range.is_signed, false);
  for (const double value : zeros) {
    if (value != std::floor(value) || value < type.least || value > type.most) return none;
    result.zero_points.push_back(static_cast<int64_t>(value));
  }
  return std::optional(result);
}

/// sign(x) * kOf(|x| + offset).
Value roundedMagnitude(Composer& c, Value value, UnaryKind kind, double offset) {
  const Value magnitude = c.add(c.unary(UnaryKind::abs, value), c.numberLike(offset, value));
  return c.mul(c.unary(UnaryKind::sign, value), c.unary(kind, magnitude));
}

Value rounded(Composer& c, Value value, std::string mode) {
  for (char& letter : mode) {
    letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  if (mode == "ROUND" || mode == "HALF_EVEN") return c.unary(UnaryKind::round, value);
  if (mode == "CEIL") return c.unary(UnaryKind::ceil, value);
  if (mode == "FLOOR") return c.unary(UnaryKind::floor, value);
  if (mode == "UP") return roundedMagnitude(c, value, UnaryKind::ceil, 0);
  if (mode == "DOWN" || mode == "ROUND_TO_ZERO") {
    return roundedMagnitude(c, value, UnaryKind::floor, 0);
  }
  if (mode == "HALF_UP") return roundedMagnitude(c, value, UnaryKind::floor, 0.5);
  if (mode == "HALF_DOWN") return roundedMagnitude(c, value, UnaryKind::ceil, -0.5);
  c.fail(unsupported(fmt::format("rounding_mode '{}' is not supported", mode)));
  return {};
}

/// Whole numbers in float as the floats that they stand for. They are integers on the way where
/// that is possible, for kernels that read them.
Status finishWithIntegers(Composer& c, Value whole, const IntegerRange& range, size_t scale_index,
                          size_t zero_point_index) {
  if (!c.ok()) return c.status();
  Node& node = c.node();
  VTA_ASSIGN_OR_RETURN(
      const std::optional<AxisParameters> parameters,
      readAxisParameters(node, c.shape(whole), scale_index, zero_point_index, range));
  if (parameters) {
    const Value integers = c.cast(whole, range.type(node.ir()));
    if (!c.ok()) return c.status();
    return node.finish(node.build().dequantize(integers, parameters->scales,
                                               parameters->zero_points, parameters->axis));
  }
  const Value zero_point = c.optional(zero_point_index);
  if (zero_point) whole = c.sub(whole, zero_point);
  return c.finish(c.mul(whole, c.input(scale_index, "scale")));
}

/// 1 where `value` is 0 or more, else -1.
Value signOf(Composer& c, Value value) {
  return c.where(c.less(value, c.numberLike(0, value)), c.numberLike(-1, value),
                 c.numberLike(1, value));
}

constexpr IntegerRange kBipolar = {-1, 1, true, 2};

Status importBipolarQuant(Node& node) {
  Composer c(node);
  return finishWithIntegers(c, signOf(c, c.input(0, "x")), kBipolar, 1, node.inputCount());
}

Status importQuant(Node& node) {
  VTA_ASSIGN_OR_RETURN(const int64_t bits, readBits(node, 3));
  const IntegerRange range =
      rangeOf(bits, node.integer("signed", 1) != 0, node.integer("narrow", 0) != 0);
  const std::string mode = node.text("rounding_mode", "ROUND");
  Composer c(node);
  const Value x = c.input(0, "x");
  if (!c.ok()) return c.status();
  const bool is_bipolar = bits == 1 && range.is_signed;
  VTA_ASSIGN_OR_RETURN(const std::optional<AxisParameters> parameters,
                       readAxisParameters(node, c.shape(x), 1, 2, range));
  if (parameters && mode == "ROUND" && !is_bipolar && graph::elementTypeOf(x).isF32()) {
    Value q = c.take(node.build().quantize(x, parameters->scales, parameters->zero_points,
                                           parameters->axis, range.type(node.ir())));
    q = within(c, q, range.least, range.most);
    if (!c.ok()) return c.status();
    return node.finish(
        node.build().dequantize(q, parameters->scales, parameters->zero_points, parameters->axis));
  }
  Value whole = c.div(x, c.input(1, "scale"));
  if (const Value zero_point = c.optional(2)) whole = c.add(whole, zero_point);
  if (is_bipolar) return finishWithIntegers(c, signOf(c, whole), kBipolar, 1, 2);
  whole = rounded(c, within(c, whole, range.least, range.most), mode);
  return finishWithIntegers(c, whole, range, 1, 2);
}

/// The lower bits of what was quantised already are cut off. Until 2025 the operator had five
/// inputs, and its result the scale of its input.
Status importOldTrunc(Node& node) {
  VTA_ASSIGN_OR_RETURN(const int64_t from, readBits(node, 3));
  VTA_ASSIGN_OR_RETURN(const int64_t to, readBits(node, 4));
  Composer c(node);
  const Value scale = c.input(1, "scale"), zero_point = c.input(2, "zero point");
  Value whole = c.add(c.div(c.input(0, "x"), scale), zero_point);
  whole = c.scale(c.unary(UnaryKind::round, whole), std::exp2(static_cast<double>(to - from)));
  whole = rounded(c, whole, node.text("rounding_mode", "FLOOR"));
  return c.finish(c.mul(c.sub(whole, zero_point), scale));
}

Status importTrunc(Node& node) {
  if (node.inputCount() < 6) return importOldTrunc(node);
  VTA_ASSIGN_OR_RETURN(const int64_t bits, readBits(node, 6));
  VTA_ASSIGN_OR_RETURN(const std::vector<double> scale, node.numbers(1, "scale"));
  VTA_ASSIGN_OR_RETURN(const std::vector<double> out_scale, node.numbers(4, "output scale"));
  if (scale.size() != 1 || out_scale.size() != 1 || !(scale[0] > 0) || !(out_scale[0] > 0)) {
    return unsupported("only one positive scale for the whole tensor is supported");
  }
  const IntegerRange range =
      rangeOf(bits, node.integer("signed", 1) != 0, node.integer("narrow", 0) != 0);
  Composer c(node);
  const double shift = std::round(std::log2(out_scale[0] / scale[0]));
  const Value zero_point = c.input(2, "zero point");
  Value whole = c.add(c.div(c.input(0, "x"), c.input(1, "scale")), zero_point);
  whole = c.scale(c.unary(UnaryKind::round, whole), std::exp2(-shift));
  whole =
      rounded(c, within(c, whole, range.least, range.most), node.text("rounding_mode", "FLOOR"));
  if (!c.ok()) return c.status();
  node.replaceInput(2, c.scale(zero_point, std::exp2(-shift)));
  return finishWithIntegers(c, whole, range, 4, 2);
}

}  // namespace

std::span<const OpEntry> qonnxOps() {
  static constexpr OpEntry kOps[] = {
      {"BipolarQuant", 1, kLatest, importBipolarQuant},
      {"IntQuant", 1, kLatest, importQuant},
      {"Quant", 1, kLatest, importQuant},
      {"Trunc", 1, kLatest, importTrunc},
  };
  return kOps;
}

}  // namespace vta::compiler
