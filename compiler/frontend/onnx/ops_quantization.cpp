// QuantizeLinear, DequantizeLinear, and QLinearConv and QLinearMatMul as float operators between
// them.
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

/// The int32 bias has the scale input scale * weight scale.
Result<Value> dequantizedBias(Node& node) {
  VTA_ASSIGN_OR_RETURN(Quantization input, readQuantization(node, 1, 2));
  VTA_ASSIGN_OR_RETURN(Quantization weight, readQuantization(node, 4, 5));
  for (float& scale : weight.scales) scale *= input.scales[0];
  return node.build().dequantize(node.optionalInput(8), weight.scales,
                                 Shape(weight.scales.size(), 0), 0);
}

Status importQLinearConv(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, dequantizedInput(node, 0, 0));
  VTA_ASSIGN_OR_RETURN(Value weight, dequantizedInput(node, 3, 0));
  Value bias;
  if (node.hasInput(8)) {
    VTA_ASSIGN_OR_RETURN(bias, dequantizedBias(node));
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

constexpr OpEntry kOps[] = {
    {"DequantizeLinear", 10, 21, importDequantizeLinear},
    {"QLinearConv", 10, 21, importQLinearConv},
    {"QLinearMatMul", 10, 21, importQLinearMatMul},
    {"QuantizeLinear", 10, 21, importQuantizeLinear},
};

}  // namespace

std::span<const OpEntry> quantizationOps() { return kOps; }

}  // namespace vta::compiler
