// QuantizeLinear and DequantizeLinear.
#include "compiler/frontend/onnx/operators/integer/quantization.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/dialects/graph/constant_tensor.h"
#include "compiler/frontend/onnx/op_table.h"
#include "compiler/frontend/onnx/operators/integer/quantize.h"

namespace vta::compiler {
namespace {

using graph::Shape;
using mlir::Value;

Status checkScales(const std::vector<float>& scales) {
  for (size_t i = 0; i < scales.size(); ++i) {
    if (scales[i] >= 0 && std::isfinite(scales[i])) continue;
    return invalidArgument(fmt::format(
        "scale {} is {}; scales are positive and finite, or 0 for a channel of zeros: quantise the "
        "model again",
        i, scales[i]));
  }
  return {};
}

/// The quantisation axis; irrelevant for one scale, whose default may be out of range.
Result<int64_t> readAxis(Node& node, Value input, const Quantization& quantization) {
  if (quantization.scales.size() == 1) return 0;
  return normalizeAxis(node.integer("axis", 1), std::ssize(graph::shapeOf(input)));
}

/// A parameter with one value for the tensor, for each index of `axis` or for each block of them,
/// in a shape that broadcasts to `shape`.
Value spread(Composer& c, Value parameter, const Shape& shape, int64_t axis, int64_t block) {
  const Shape given = c.shape(parameter);
  if (!c.ok()) return {};
  if (block == 0 && graph::elementCount(given) == 1) return c.reshape(parameter, {});
  if (block == 0) {
    Shape wide(shape.size(), 1);
    wide[axis] = graph::elementCount(given);
    return c.reshape(parameter, wide);
  }
  if (given.size() != shape.size() || given[axis] * block < shape[axis]) {
    c.fail(invalidArgument(fmt::format("scales of shape {} do not fit blocks of {} of {}",
                                       graph::shapeText(given), block, graph::shapeText(shape))));
    return {};
  }
  Shape repeated = given;
  repeated.insert(repeated.begin() + axis + 1, block);
  Shape joined = given;
  joined[axis] *= block;
  Value value = c.reshape(c.expand(c.unsqueeze(parameter, axis + 1), repeated), joined);
  return c.slice(value, axis, 0, shape[axis]);
}

/// Scale and zero point as they broadcast to the input.
Affine readAffine(Composer& c, const Shape& shape) {
  Node& node = c.node();
  Value scale = c.input(1, "scale"), zero_point = c.optional(2);
  if (!c.ok()) return {};
  const int64_t block = node.integer("block_size", 0);
  if (block < 0 || block > int64_t{1} << 31) {
    c.fail(invalidArgument(fmt::format("block_size {} is not legal", block)));
    return {};
  }
  const bool is_one = block == 0 && graph::elementCount(c.shape(scale)) == 1;
  const int64_t axis =
      is_one ? 0 : c.axis(node.integer("axis", 1), static_cast<int64_t>(shape.size()));
  if (zero_point && c.shape(zero_point) != c.shape(scale)) {
    if (graph::elementCount(c.shape(zero_point)) != 1) {
      c.fail(invalidArgument("scale and zero point differ in shape"));
    }
    zero_point = c.expand(c.reshape(zero_point, {}), c.shape(scale));
  }
  const Value wide = spread(c, scale, shape, axis, block);
  return {wide, zero_point ? spread(c, zero_point, shape, axis, block) : Value()};
}

/// Whether graph.quantize and graph.dequantize say it: constant parameters of a type of 8 or 16
/// bits (or 32, `wide`), without blocks.
bool isPlain(Node& node, mlir::Type type, bool wide) {
  const bool fits = type.isSignlessInteger(8) || type.isUnsignedInteger(8) ||
                    type.isSignlessInteger(16) || type.isUnsignedInteger(16) ||
                    (wide && type.isSignlessInteger(32));
  const auto is_constant = [&](size_t index) {
    return !node.hasInput(index) || graph::constantOf(node.optionalInput(index));
  };
  return fits && node.integer("block_size", 0) == 0 && is_constant(1) && is_constant(2);
}

/// The type that a node quantises to.
Result<mlir::Type> quantizedType(Node& node) {
  if (Value zero_point = node.optionalInput(2)) return graph::elementTypeOf(zero_point);
  if (const int64_t type = node.integer("output_dtype", 0)) return node.computedType(type);
  return mlir::Type(node.ir().getIntegerType(8, /*isSigned=*/false));
}

}  // namespace

Result<Quantization> readQuantization(Node& node, size_t scale_index, size_t zero_point_index) {
  Quantization result;
  VTA_ASSIGN_OR_RETURN(std::vector<double> scales, node.numbers(scale_index, "scale"));
  result.scales.assign(scales.begin(), scales.end());
  VTA_RETURN_IF_ERROR(checkScales(result.scales));
  result.zero_points.assign(scales.size(), 0);
  if (!node.hasInput(zero_point_index)) return result;
  VTA_ASSIGN_OR_RETURN(result.zero_points, node.integers(zero_point_index, "zero_point"));
  result.type = graph::elementTypeOf(node.optionalInput(zero_point_index));
  if (result.zero_points.size() == 1) {
    const int64_t zero_point = result.zero_points.front();
    result.zero_points.assign(scales.size(), zero_point);
  }
  if (result.zero_points.size() == result.scales.size()) return result;
  return invalidArgument(
      fmt::format("{} scales but {} zero points", result.scales.size(), result.zero_points.size()));
}

Status checkDivisors(Value input, const Quantization& quantization) {
  const auto zero = std::ranges::find(quantization.scales, 0.0F);
  if (zero == quantization.scales.end() || graph::constantOf(input)) return {};
  return invalidArgument(
      fmt::format("scale {} is 0, and what the model computes is divided by it; only constant "
                  "weights may have a scale of 0: quantise the model again",
                  zero - quantization.scales.begin()));
}

Status importQuantizeLinear(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "x"));
  VTA_ASSIGN_OR_RETURN(mlir::Type type, quantizedType(node));
  if (graph::elementTypeOf(input).isF32() && isPlain(node, type, false)) {
    VTA_ASSIGN_OR_RETURN(Quantization q, readQuantization(node, 1, 2));
    VTA_RETURN_IF_ERROR(checkDivisors(input, q));
    VTA_ASSIGN_OR_RETURN(int64_t axis, readAxis(node, input, q));
    return node.finish(node.build().quantize(input, q.scales, q.zero_points, axis, type));
  }
  const auto integer = mlir::dyn_cast<mlir::IntegerType>(type);
  if (!integer || integer.getWidth() > 16) {
    return unsupported("only 8-bit and 16-bit integers are supported");
  }
  Composer c(node);
  Affine affine = readAffine(c, c.shape(input));
  // int32 may be quantised too.
  if (c.ok()) input = c.cast(input, graph::elementTypeOf(affine.scale));
  return c.finish(quantizedBy(c, input, affine, integer));
}

Value signedConstant(Node& node, Value input, Quantization& q) {
  mlir::DenseElementsAttr constant = graph::constantOf(input);
  if (!constant || !constant.getElementType().isUnsignedInteger(8)) return input;
  std::vector<int64_t> values = graph::ConstantTensor(constant).asIntegers();
  for (int64_t& value : values) value -= 128;
  for (int64_t& zero_point : q.zero_points) zero_point -= 128;
  graph::ConstantTensor shifted(graph::tensorType(input).clone(node.ir().getI8Type()));
  shifted.setIntegers(values);
  return node.build().constant(shifted.toAttribute());
}

Status importDequantizeLinear(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "x"));
  if (isPlain(node, graph::elementTypeOf(input), true)) {
    VTA_ASSIGN_OR_RETURN(Quantization q, readQuantization(node, 1, 2));
    VTA_ASSIGN_OR_RETURN(int64_t axis, readAxis(node, input, q));
    input = signedConstant(node, input, q);
    return node.finish(node.build().dequantize(input, q.scales, q.zero_points, axis));
  }
  if (!graph::elementTypeOf(input).isIntOrIndex()) return invalidArgument("expects integers");
  Composer c(node);
  const Affine affine = readAffine(c, c.shape(input));
  return c.finish(dequantizedBy(c, input, affine));
}

Result<Value> dequantizedInput(Node& node, size_t index, int64_t axis) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(index, "x"));
  VTA_ASSIGN_OR_RETURN(Quantization q, readQuantization(node, index + 1, index + 2));
  input = signedConstant(node, input, q);
  return node.build().dequantize(input, q.scales, q.zero_points, axis);
}

Status quantizeOutput(Node& node, Value output, size_t scale_index) {
  VTA_ASSIGN_OR_RETURN(Quantization q, readQuantization(node, scale_index, scale_index + 1));
  if (!q.type) return invalidArgument("the output's zero point is missing");
  VTA_RETURN_IF_ERROR(checkDivisors(output, q));
  return node.finish(node.build().quantize(output, q.scales, q.zero_points, 0, q.type));
}

std::span<const OpEntry> quantizationOps() {
  static constexpr OpEntry kOps[] = {
      {"DequantizeLinear", 10, kLatest, importDequantizeLinear},
      {"QuantizeLinear", 10, kLatest, importQuantizeLinear},
  };
  return kOps;
}

}  // namespace vta::compiler
