// QuantizeLinear, DequantizeLinear, and the QLinear operators, those of com.microsoft too, as float
// operators between them.
#include <fmt/format.h>

#include "compiler/dialects/graph/constant_tensor.h"
#include "compiler/frontend/onnx/op_table.h"
#include "compiler/frontend/onnx/operators/integer/quantize.h"
#include "compiler/frontend/onnx/operators/layers.h"

namespace vta::compiler {
namespace {

using graph::Shape;
using mlir::Value;

/// Scales and zero points, one for the tensor or one per index of an axis.
struct Quantization {
  std::vector<float> scales;
  Shape zero_points;
  mlir::Type type;  // of the zero points; null if there are none
};

Result<Quantization> readQuantization(Node& node, size_t scale_index, size_t zero_point_index) {
  Quantization result;
  VTA_ASSIGN_OR_RETURN(std::vector<double> scales, node.numbers(scale_index, "scale"));
  result.scales.assign(scales.begin(), scales.end());
  result.zero_points.assign(scales.size(), 0);
  if (!node.hasInput(zero_point_index)) return result;
  VTA_ASSIGN_OR_RETURN(result.zero_points, node.integers(zero_point_index, "zero_point"));
  result.type = graph::elementTypeOf(node.optionalInput(zero_point_index));
  if (result.zero_points.size() == result.scales.size()) return result;
  return invalidArgument(
      fmt::format("{} scales but {} zero points", result.scales.size(), result.zero_points.size()));
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
    c.fail(invalidArgument("scale and zero point differ in shape"));
  }
  const Value wide = spread(c, scale, shape, axis, block);
  return {wide, zero_point ? spread(c, zero_point, shape, axis, block) : Value()};
}

/// Whether graph.quantize and graph.dequantize say it: constant parameters of an 8-bit type (or 32
/// bits, `wide`), without blocks.
bool isPlain(Node& node, mlir::Type type, bool wide) {
  const bool fits = type.isSignlessInteger(8) || type.isUnsignedInteger(8) ||
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

Status importQuantizeLinear(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "x"));
  VTA_ASSIGN_OR_RETURN(mlir::Type type, quantizedType(node));
  if (graph::elementTypeOf(input).isF32() && isPlain(node, type, false)) {
    VTA_ASSIGN_OR_RETURN(Quantization q, readQuantization(node, 1, 2));
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

/// Constants of ui8 are shifted to i8, together with their zero points: the accelerator's type.
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
  return node.finish(node.build().quantize(output, q.scales, q.zero_points, 0, q.type));
}

/// The int32 bias at `index` has the scale input scale * weight scale * `factor`.
Result<Value> dequantizedBias(Node& node, size_t index, float factor = 1) {
  VTA_ASSIGN_OR_RETURN(Quantization input, readQuantization(node, 1, 2));
  VTA_ASSIGN_OR_RETURN(Quantization weight, readQuantization(node, 4, 5));
  for (float& scale : weight.scales) scale *= input.scales[0] * factor;
  const Value bias = node.optionalInput(index);
  const int64_t axis = std::max<int64_t>(std::ssize(graph::shapeOf(bias)) - 1, 0);
  return node.build().dequantize(bias, weight.scales, Shape(weight.scales.size(), 0), axis);
}

Status importQLinearConv(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, dequantizedInput(node, 0, 0));
  VTA_ASSIGN_OR_RETURN(Value weight, dequantizedInput(node, 3, 0));
  Value bias;
  if (node.hasInput(8)) {
    VTA_ASSIGN_OR_RETURN(bias, dequantizedBias(node, 8));
  }
  VTA_ASSIGN_OR_RETURN(Value output, convolution(node, input, weight, bias));
  return quantizeOutput(node, output, 6);
}

Status importQLinearMatMul(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value lhs, dequantizedInput(node, 0, 0));
  VTA_ASSIGN_OR_RETURN(Value rhs, node.input(3, "b"));
  VTA_ASSIGN_OR_RETURN(
      rhs, dequantizedInput(node, 3, std::max<int64_t>(std::ssize(graph::shapeOf(rhs)) - 1, 0)));
  VTA_ASSIGN_OR_RETURN(Value output, node.build().matmul(lhs, rhs));
  return quantizeOutput(node, output, 6);
}

//===------------------------------ com.microsoft ------------------------------===//

template <graph::BinaryKind kKind>
Status importQLinearBinary(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value lhs, dequantizedInput(node, 0, 0));
  VTA_ASSIGN_OR_RETURN(Value rhs, dequantizedInput(node, 3, 0));
  VTA_ASSIGN_OR_RETURN(Value output, node.build().binary(kKind, lhs, rhs));
  return quantizeOutput(node, output, 6);
}

Status importQLinearGlobalAveragePool(Node& node) {
  if (node.integer("channels_last", 0) != 0) {
    return unsupported("channels_last is not supported; export the model with channels first");
  }
  VTA_ASSIGN_OR_RETURN(Value input, dequantizedInput(node, 0, 0));
  Shape axes;
  for (int64_t axis = 2; axis < std::ssize(graph::shapeOf(input)); ++axis) axes.push_back(axis);
  VTA_ASSIGN_OR_RETURN(Value output,
                       node.build().reduce(graph::ReduceKind::mean, input, axes, true));
  return quantizeOutput(node, output, 3);
}

Status importQLinearSigmoid(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, dequantizedInput(node, 0, 0));
  VTA_ASSIGN_OR_RETURN(Value output, node.build().unary(graph::UnaryKind::sigmoid, input));
  return quantizeOutput(node, output, 3);
}

Status importQLinearLeakyRelu(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, dequantizedInput(node, 0, 0));
  VTA_ASSIGN_OR_RETURN(Value output, node.build().unary(graph::UnaryKind::leaky_relu, input,
                                                        node.number("alpha", 0.01)));
  return quantizeOutput(node, output, 3);
}

Status importQLinearAveragePool(Node& node) {
  if (node.integer("channels_last", 0) != 0) {
    return unsupported("channels_last is not supported; export the model with channels first");
  }
  VTA_ASSIGN_OR_RETURN(Value input, dequantizedInput(node, 0, 0));
  VTA_ASSIGN_OR_RETURN(Value output, averagePool(node, input));
  return quantizeOutput(node, output, 3);
}

Status importQLinearSoftmax(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, dequantizedInput(node, 0, 0));
  VTA_ASSIGN_OR_RETURN(const int64_t axis,
                       normalizeAxis(node.integer("axis", -1), std::ssize(graph::shapeOf(input))));
  // Before opset 13 of the default domain, all dimensions from `axis` on were one.
  if (node.integer("opset", 13) < 13 && axis + 1 != std::ssize(graph::shapeOf(input))) {
    return unsupported("the softmax of an opset before 13 is supported along the last axis only");
  }
  VTA_ASSIGN_OR_RETURN(Value output, node.build().softmax(input, axis, false));
  return quantizeOutput(node, output, 3);
}

/// Scale and zero point of the output come first, then three inputs for each part.
Status importQLinearConcat(Node& node) {
  std::vector<Value> parts;
  for (size_t i = 2; i + 2 < node.inputCount(); i += 3) {
    VTA_ASSIGN_OR_RETURN(Value part, dequantizedInput(node, i, 0));
    parts.push_back(part);
  }
  if (parts.empty()) return invalidArgument("there is nothing to concatenate");
  VTA_ASSIGN_OR_RETURN(int64_t axis, normalizeAxis(node.integer("axis", 0),
                                                   std::ssize(graph::shapeOf(parts.front()))));
  VTA_ASSIGN_OR_RETURN(Value output, node.build().concat(parts, axis));
  return quantizeOutput(node, output, 0);
}

/// Elements of the second or the third input, which have their own scales.
Status importQLinearWhere(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value condition, node.input(0, "condition"));
  VTA_ASSIGN_OR_RETURN(Value lhs, dequantizedInput(node, 1, 0));
  VTA_ASSIGN_OR_RETURN(Value rhs, dequantizedInput(node, 4, 0));
  VTA_ASSIGN_OR_RETURN(Value output, node.build().where(condition, lhs, rhs));
  return quantizeOutput(node, output, 7);
}

/// Weights [directions, inputs, outputs] of integers as LSTM has them: floats, outputs first. The
/// scale is one of each direction, or of each output.
Value recurrentWeights(Composer& c, size_t index, size_t scale_index) {
  const Value integers = c.input(index, "weights"), scale = c.input(scale_index, "scale");
  const Value zero_point = c.optional(scale_index + 1);
  const auto spread = [&](Value parameter) {
    const Shape shape = c.shape(parameter);
    if (!c.ok()) return Value();
    return c.reshape(parameter,
                     {shape.empty() ? 1 : shape[0], 1, shape.size() == 2 ? shape[1] : 1});
  };
  if (c.ok() && (c.rank(integers) != 3 || c.rank(scale) > 2)) {
    c.fail(invalidArgument("weights of three dimensions and scales of at most two are needed"));
  }
  const Affine affine{spread(scale), zero_point ? spread(zero_point) : Value()};
  return c.transpose(dequantizedBy(c, integers, affine), {0, 2, 1});
}

/// An LSTM with weights in integers. Its inputs are not rounded: what they are multiplied with is
/// what it keeps small.
Status importDynamicQuantizeLstm(Node& node) {
  Composer c(node);
  const Value weights = recurrentWeights(c, 1, 8), recurrence = recurrentWeights(c, 2, 10);
  if (!c.ok()) return c.status();
  node.replaceInput(1, weights);
  node.replaceInput(2, recurrence);
  return importLstm(node);
}

/// alpha * a * b + c, whose result stays float without an output scale.
Status importQGemm(Node& node) {
  const bool transposed_b = node.integer("transB", 0) != 0;
  VTA_ASSIGN_OR_RETURN(Value lhs, dequantizedInput(node, 0, 0));
  VTA_ASSIGN_OR_RETURN(Value rhs, dequantizedInput(node, 3, transposed_b ? 0 : 1));
  if (graph::shapeOf(lhs).size() != 2 || graph::shapeOf(rhs).size() != 2) {
    return invalidArgument("the operands have to be matrices");
  }
  if (node.integer("transA", 0) != 0) {
    VTA_ASSIGN_OR_RETURN(lhs, node.build().transpose(lhs, Shape{1, 0}));
  }
  if (transposed_b) {
    VTA_ASSIGN_OR_RETURN(rhs, node.build().transpose(rhs, Shape{1, 0}));
  }
  const double alpha = node.number("alpha", 1);
  VTA_ASSIGN_OR_RETURN(Value output, node.build().matmul(lhs, rhs));
  if (alpha != 1) {
    const Value factor = node.build().scalar(alpha, node.ir().getF32Type());
    VTA_ASSIGN_OR_RETURN(output, node.build().binary(graph::BinaryKind::mul, output, factor));
  }
  if (node.hasInput(6)) {
    VTA_ASSIGN_OR_RETURN(Value bias, dequantizedBias(node, 6, static_cast<float>(alpha)));
    VTA_ASSIGN_OR_RETURN(output, node.build().binary(graph::BinaryKind::add, output, bias));
  }
  return node.hasInput(7) ? quantizeOutput(node, output, 7) : node.finish(output);
}

constexpr OpEntry kMicrosoftOps[] = {
    {"DequantizeLinear", 1, kLatest, importDequantizeLinear},
    {"DynamicQuantizeLSTM", 1, kLatest, importDynamicQuantizeLstm},
    {"QGemm", 1, kLatest, importQGemm},
    {"QLinearAdd", 1, kLatest, importQLinearBinary<graph::BinaryKind::add>},
    {"QLinearAveragePool", 1, kLatest, importQLinearAveragePool},
    {"QLinearConcat", 1, kLatest, importQLinearConcat},
    {"QLinearGlobalAveragePool", 1, kLatest, importQLinearGlobalAveragePool},
    {"QLinearLeakyRelu", 1, kLatest, importQLinearLeakyRelu},
    {"QLinearMul", 1, kLatest, importQLinearBinary<graph::BinaryKind::mul>},
    {"QLinearSigmoid", 1, kLatest, importQLinearSigmoid},
    {"QLinearSoftmax", 1, kLatest, importQLinearSoftmax},
    {"QLinearWhere", 1, kLatest, importQLinearWhere},
    {"QuantizeLinear", 1, kLatest, importQuantizeLinear},
};

}  // namespace

std::span<const OpEntry> quantizationOps() {
  static constexpr OpEntry kOps[] = {
      {"DequantizeLinear", 10, kLatest, importDequantizeLinear},
      {"QLinearConv", 10, kLatest, importQLinearConv},
      {"QLinearMatMul", 10, kLatest, importQLinearMatMul},
      {"QuantizeLinear", 10, kLatest, importQuantizeLinear},
  };
  return kOps;
}
std::span<const OpEntry> microsoftOps() { return kMicrosoftOps; }

}  // namespace vta::compiler
