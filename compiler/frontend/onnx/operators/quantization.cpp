// QuantizeLinear, DequantizeLinear, and the QLinear operators, those of com.microsoft too, as float
// operators between them.
#include <fmt/format.h>

#include "compiler/dialects/graph/constant_tensor.h"
#include "compiler/frontend/onnx/op_table.h"
#include "compiler/frontend/onnx/window.h"

namespace vta::compiler {
namespace {

using graph::Shape;
using graph::ShapeRef;
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
  if (node.integer("block_size", 0) != 0) {
    return unsupported("blocked quantisation is not supported");
  }
  if (quantization.scales.size() == 1) return 0;
  return normalizeAxis(node.integer("axis", 1), std::ssize(graph::shapeOf(input)));
}

Status importQuantizeLinear(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "x"));
  VTA_ASSIGN_OR_RETURN(Quantization q, readQuantization(node, 1, 2));
  VTA_ASSIGN_OR_RETURN(int64_t axis, readAxis(node, input, q));
  if (!q.type) q.type = node.ir().getIntegerType(8, /*isSigned=*/false);
  return node.finish(node.build().quantize(input, q.scales, q.zero_points, axis, q.type));
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
  VTA_ASSIGN_OR_RETURN(Quantization q, readQuantization(node, 1, 2));
  VTA_ASSIGN_OR_RETURN(int64_t axis, readAxis(node, input, q));
  input = signedConstant(node, input, q);
  return node.finish(node.build().dequantize(input, q.scales, q.zero_points, axis));
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
  size_t rank = graph::shapeOf(input).size();
  ShapeRef weight_shape = graph::shapeOf(weight);
  if (weight_shape.size() != rank) {
    return invalidArgument("the input and the weight differ in rank");
  }
  Shape kernel(weight_shape.begin() + 2, weight_shape.end());
  VTA_ASSIGN_OR_RETURN(SpatialWindow window,
                       readWindow(node, graph::shapeOf(input).subspan(2), std::move(kernel)));
  VTA_ASSIGN_OR_RETURN(input, toRank4(node, input));
  VTA_ASSIGN_OR_RETURN(weight, toRank4(node, weight));
  Result<Value> output =
      node.build().conv(input, weight, bias, window.view(), node.integer("group", 1));
  VTA_ASSIGN_OR_RETURN(Value shaped, fromRank4(node, output, rank));
  return quantizeOutput(node, shaped, 6);
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
    return unsupported("channels_last is not supported");
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
    {"DequantizeLinear", 1, 21, importDequantizeLinear},
    {"QGemm", 1, 21, importQGemm},
    {"QLinearAdd", 1, 21, importQLinearBinary<graph::BinaryKind::add>},
    {"QLinearConcat", 1, 21, importQLinearConcat},
    {"QLinearGlobalAveragePool", 1, 21, importQLinearGlobalAveragePool},
    {"QLinearLeakyRelu", 1, 21, importQLinearLeakyRelu},
    {"QLinearMul", 1, 21, importQLinearBinary<graph::BinaryKind::mul>},
    {"QLinearSigmoid", 1, 21, importQLinearSigmoid},
    {"QuantizeLinear", 1, 21, importQuantizeLinear},
};

constexpr OpEntry kOps[] = {
    {"DequantizeLinear", 10, 21, importDequantizeLinear},
    {"QLinearConv", 10, 21, importQLinearConv},
    {"QLinearMatMul", 10, 21, importQLinearMatMul},
    {"QuantizeLinear", 10, 21, importQuantizeLinear},
};

}  // namespace

std::span<const OpEntry> quantizationOps() { return kOps; }
std::span<const OpEntry> microsoftOps() { return kMicrosoftOps; }

}  // namespace vta::compiler
