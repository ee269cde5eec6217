// Operators on integers with scales, of ONNX and of com.microsoft, as float operators between
// DequantizeLinear and QuantizeLinear.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "compiler/frontend/onnx/op_table.h"
#include "compiler/frontend/onnx/operators/integer/quantization.h"
#include "compiler/frontend/onnx/operators/integer/quantize.h"
#include "compiler/frontend/onnx/operators/layers.h"
#include "compiler/frontend/onnx/operators/layout.h"

namespace vta::compiler {
namespace {

using graph::Shape;
using mlir::Value;

/// The scales of what products of the inputs at `lhs` and `rhs` are counted in, which are those of
/// an int32 bias. They are computed in float32 between the two roundings, so it has to hold them,
/// and the largest sums.
Result<std::vector<float>> productScales(Node& node, size_t lhs, size_t rhs, double factor = 1) {
  VTA_ASSIGN_OR_RETURN(const Quantization left, readQuantization(node, lhs + 1, lhs + 2));
  VTA_ASSIGN_OR_RETURN(const Quantization right, readQuantization(node, rhs + 1, rhs + 2));
  constexpr double kLeast = std::numeric_limits<float>::min();
  constexpr double kMost = std::numeric_limits<float>::max() / (1LL << 31);
  std::vector<float> scales;
  for (const float given : left.scales) {
    for (const float scale : right.scales) {
      const double product = static_cast<double>(given) * scale;
      if (product != 0 && (product < kLeast || product > kMost)) {
        return invalidArgument(fmt::format(
            "the scales {} and {} multiply to {:.3g}, which is outside of {:.3g} to {:.3g}, the "
            "range in which float32 holds 32-bit sums; quantise the model again",
            given, scale, product, kLeast, kMost));
      }
      scales.push_back(static_cast<float>(product * factor));
    }
  }
  return scales;
}

/// The int32 bias at `index`, whose elements are in `scales`.
Result<Value> dequantizedBias(Node& node, size_t index, const std::vector<float>& scales) {
  const Value bias = node.optionalInput(index);
  const int64_t axis = std::max<int64_t>(std::ssize(graph::shapeOf(bias)) - 1, 0);
  return node.build().dequantize(bias, scales, Shape(scales.size(), 0), axis);
}

Status importQLinearConv(Node& node) {
  VTA_ASSIGN_OR_RETURN(const std::vector<float> scales, productScales(node, 0, 3));
  VTA_ASSIGN_OR_RETURN(Value input, dequantizedInput(node, 0, 0));
  VTA_ASSIGN_OR_RETURN(Value weight, dequantizedInput(node, 3, 0));
  Value bias;
  if (node.hasInput(8)) {
    VTA_ASSIGN_OR_RETURN(bias, dequantizedBias(node, 8, scales));
  }
  VTA_ASSIGN_OR_RETURN(Value output, convolution(node, input, weight, bias));
  return quantizeOutput(node, output, 6);
}

Status importQLinearMatMul(Node& node) {
  VTA_RETURN_IF_ERROR(productScales(node, 0, 3).status());
  // Scales of the left side are one for each row.
  VTA_ASSIGN_OR_RETURN(Value lhs, node.input(0, "a"));
  VTA_ASSIGN_OR_RETURN(
      lhs, dequantizedInput(node, 0, std::max<int64_t>(std::ssize(graph::shapeOf(lhs)) - 2, 0)));
  VTA_ASSIGN_OR_RETURN(Value rhs, node.input(3, "b"));
  VTA_ASSIGN_OR_RETURN(
      rhs, dequantizedInput(node, 3, std::max<int64_t>(std::ssize(graph::shapeOf(rhs)) - 1, 0)));
  VTA_ASSIGN_OR_RETURN(Value output, matrixProduct(node, lhs, rhs));
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

/// `kImport` knows channels first; with the attribute channels_last they are the last dimension.
template <ImportFunction kImport>
Status importInEitherLayout(Node& node) {
  return node.integer("channels_last", 0) != 0 ? importWithChannelsLast(node, kImport)
                                               : kImport(node);
}

Status importQLinearGlobalAveragePool(Node& node) {
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

/// Axes are an attribute.
Status importQLinearReduceMean(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, dequantizedInput(node, 0, 0));
  const int64_t rank = std::ssize(graph::shapeOf(input));
  Shape axes = node.integerList("axes").value_or(Shape());
  if (axes.empty()) {
    for (int64_t axis = 0; axis < rank; ++axis) axes.push_back(axis);
  }
  VTA_ASSIGN_OR_RETURN(axes, normalizeAxes(axes, rank));
  VTA_ASSIGN_OR_RETURN(Value output, node.build().reduce(graph::ReduceKind::mean, input, axes,
                                                         node.integer("keepdims", 1) != 0));
  return quantizeOutput(node, output, 3);
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
  VTA_ASSIGN_OR_RETURN(const std::vector<float> scales, productScales(node, 0, 3, std::abs(alpha)));
  VTA_ASSIGN_OR_RETURN(Value output, node.build().matmul(lhs, rhs));
  if (alpha != 1) {
    const Value factor = node.build().scalar(alpha, node.ir().getF32Type());
    VTA_ASSIGN_OR_RETURN(output, node.build().binary(graph::BinaryKind::mul, output, factor));
  }
  if (node.hasInput(6)) {
    VTA_ASSIGN_OR_RETURN(Value bias, dequantizedBias(node, 6, scales));
    const auto kind = alpha < 0 ? graph::BinaryKind::sub : graph::BinaryKind::add;
    VTA_ASSIGN_OR_RETURN(output, node.build().binary(kind, output, bias));
  }
  return node.hasInput(7) ? quantizeOutput(node, output, 7) : node.finish(output);
}

constexpr OpEntry kMicrosoftOps[] = {
    {"DequantizeLinear", 1, kLatest, importDequantizeLinear},
    {"DynamicQuantizeLSTM", 1, kLatest, importDynamicQuantizeLstm},
    {"QGemm", 1, kLatest, importQGemm},
    {"QLinearAdd", 1, kLatest, importQLinearBinary<graph::BinaryKind::add>},
    {"QLinearAveragePool", 1, kLatest, importInEitherLayout<importQLinearAveragePool>},
    {"QLinearConcat", 1, kLatest, importQLinearConcat},
    {"QLinearConv", 1, kLatest, importInEitherLayout<importQLinearConv>},
    {"QLinearGlobalAveragePool", 1, kLatest, importInEitherLayout<importQLinearGlobalAveragePool>},
    {"QLinearLeakyRelu", 1, kLatest, importQLinearLeakyRelu},
    {"QLinearMul", 1, kLatest, importQLinearBinary<graph::BinaryKind::mul>},
    {"QLinearReduceMean", 1, kLatest, importQLinearReduceMean},
    {"QLinearSigmoid", 1, kLatest, importQLinearSigmoid},
    {"QLinearSoftmax", 1, kLatest, importQLinearSoftmax},
    {"QLinearWhere", 1, kLatest, importQLinearWhere},
    {"QuantizeLinear", 1, kLatest, importQuantizeLinear},
};

}  // namespace

std::span<const OpEntry> qlinearOps() {
  static constexpr OpEntry kOps[] = {
      {"QLinearConv", 10, kLatest, importQLinearConv},
      {"QLinearMatMul", 10, kLatest, importQLinearMatMul},
  };
  return kOps;
}

std::span<const OpEntry> microsoftOps() { return kMicrosoftOps; }

}  // namespace vta::compiler
