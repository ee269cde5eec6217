// Conv, ConvTranspose, MatMul, Gemm.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/dialects/graph/constant_tensor.h"
#include "compiler/dialects/graph/graph.h"
#include "compiler/frontend/onnx/op_table.h"
#include "compiler/frontend/onnx/operators/layers.h"
#include "compiler/frontend/onnx/operators/volume.h"
#include "compiler/frontend/onnx/window.h"

namespace vta::compiler {
namespace {

using graph::Shape;
using graph::ShapeRef;
using mlir::Value;

/// The kernel extents come from the weight; the attribute may only repeat them.
Result<Shape> kernelExtents(Node& node, Value weight) {
  ShapeRef shape = graph::shapeOf(weight);
  if (shape.size() < 3) {
    return invalidArgument("expects a weight of rank 3 or more, got " + graph::shapeText(shape));
  }
  Shape kernel(shape.begin() + 2, shape.end());
  Shape declared = node.integerList("kernel_shape").value_or(kernel);
  if (declared == kernel) return kernel;
  return invalidArgument(fmt::format("kernel_shape {} differs from the weight's shape {}",
                                     graph::shapeText(declared), graph::shapeText(shape)));
}

struct ConvolutionInputs {
  Value input, weight, bias;
  size_t rank = 0;
  SpatialWindow window;
};

Result<ConvolutionInputs> prepare(Node& node, Value input, Value weight, Value bias) {
  ConvolutionInputs inputs{input, weight, bias, graph::shapeOf(input).size(), {}};
  VTA_ASSIGN_OR_RETURN(Shape kernel, kernelExtents(node, inputs.weight));
  VTA_ASSIGN_OR_RETURN(inputs.input, toRank4(node, inputs.input));
  VTA_ASSIGN_OR_RETURN(inputs.weight, toRank4(node, inputs.weight));
  ShapeRef extents = graph::shapeOf(inputs.input).subspan(inputs.rank == 3 ? 3 : 2);
  VTA_ASSIGN_OR_RETURN(inputs.window, readWindow(node, extents, std::move(kernel)));
  return inputs;
}

Status importConv(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "X"));
  VTA_ASSIGN_OR_RETURN(Value weight, node.input(1, "W"));
  return node.finish(convolution(node, input, weight, node.optionalInput(2)));
}

/// Three spatial dimensions, or one and two brought to two.
Status importConvTranspose(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value image, node.input(0, "X"));
  VTA_ASSIGN_OR_RETURN(Value weight, node.input(1, "W"));
  if (graph::shapeOf(image).size() == 5) {
    return node.finish(transposedVolumeConvolution(node, image, weight, node.optionalInput(2)));
  }
  VTA_ASSIGN_OR_RETURN(ConvolutionInputs in, prepare(node, image, weight, node.optionalInput(2)));
  VTA_ASSIGN_OR_RETURN(
      const Shape output_padding,
      readTransposedWindow(node, graph::shapeOf(in.input).subspan(2), in.rank - 2, in.window));
  Result<Value> output = node.build().convTranspose(in.input, in.weight, in.bias, in.window.view(),
                                                    output_padding, node.integer("group", 1));
  return node.finish(fromRank4(node, output, in.rank));
}

Status importMatMul(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value lhs, node.input(0, "A"));
  VTA_ASSIGN_OR_RETURN(Value rhs, node.input(1, "B"));
  return node.finish(matrixProduct(node, lhs, rhs));
}

/// A constant that is dequantised, with `factor` in its scales; null if `value` is something else.
/// It keeps its integers for kernels that compute with them.
Result<Value> scaledConstant(Node& node, Value value, double factor) {
  auto dequantize = value.getDefiningOp<graph::DequantizeOp>();
  if (factor == 1 || factor <= 0 || !dequantize || !graph::constantOf(dequantize.getInput()))
    return Value();
  std::vector<float> scales;
  for (const float scale : dequantize.getScales()) {
    scales.push_back(static_cast<float>(scale * factor));
    const bool is_normal = std::isnormal(scales.back()) || scale == 0;
    if (!is_normal) return Value();
  }
  const auto zero_points = dequantize.getZeroPoints();
  return node.build().dequantize(dequantize.getInput(), scales,
                                 Shape(zero_points.begin(), zero_points.end()),
                                 static_cast<int64_t>(dequantize.getAxis()));
}

Result<Value> scaled(Node& node, Value value, double factor) {
  if (factor == 1) return value;
  VTA_ASSIGN_OR_RETURN(const Value constant, scaledConstant(node, value, factor));
  if (constant) return constant;
  Value scalar = node.build().scalar(factor, graph::elementTypeOf(value));
  return node.build().binary(graph::BinaryKind::mul, value, scalar);
}

Status importGemm(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value lhs, node.input(0, "A"));
  VTA_ASSIGN_OR_RETURN(Value rhs, node.input(1, "B"));
  return node.finish(gemm(node, lhs, rhs, node.optionalInput(2)));
}

}  // namespace

Result<Value> convolution(Node& node, Value input, Value weight, Value bias) {
  const size_t rank = graph::shapeOf(input).size();
  if (graph::shapeOf(weight).size() != rank) {
    return invalidArgument("the input and the weight differ in rank");
  }
  if (rank == 5) return volumeConvolution(node, input, weight, bias);
  VTA_ASSIGN_OR_RETURN(ConvolutionInputs in, prepare(node, input, weight, bias));
  Result<Value> output =
      node.build().conv(in.input, in.weight, in.bias, in.window.view(), node.integer("group", 1));
  return fromRank4(node, output, in.rank);
}

Result<Value> matrixProduct(Node& node, Value lhs, Value rhs) {
  // A vector is a row on the left, a column on the right; its dimension vanishes.
  ShapeRef left = graph::shapeOf(lhs), right = graph::shapeOf(rhs);
  bool left_vector = left.size() == 1, right_vector = right.size() == 1;
  if (left_vector) {
    VTA_ASSIGN_OR_RETURN(lhs, node.build().reshape(lhs, Shape{1, left[0]}));
  }
  if (right_vector) {
    VTA_ASSIGN_OR_RETURN(rhs, node.build().reshape(rhs, Shape{right[0], 1}));
  }
  VTA_ASSIGN_OR_RETURN(Value output, node.build().matmul(lhs, rhs));
  ShapeRef full = graph::shapeOf(output);
  Shape shape(full.begin(), full.end());
  if (right_vector) shape.pop_back();
  if (left_vector) shape.erase(shape.end() - (right_vector ? 1 : 2));
  return node.build().reshape(output, shape);
}

Result<Value> gemm(Node& node, Value lhs, Value rhs, Value addend) {
  for (Value operand : {lhs, rhs}) {
    ShapeRef shape = graph::shapeOf(operand);
    if (shape.size() != 2) {
      return invalidArgument("expects matrices, got " + graph::shapeText(shape));
    }
  }
  const Shape swap = {1, 0};
  if (node.integer("transA", 0)) {
    VTA_ASSIGN_OR_RETURN(lhs, node.build().transpose(lhs, swap));
  }
  double alpha = node.number("alpha", 1);
  VTA_ASSIGN_OR_RETURN(const Value weights, scaledConstant(node, rhs, alpha));
  if (weights) {
    rhs = weights;
    alpha = 1;
  }
  if (node.integer("transB", 0)) {
    VTA_ASSIGN_OR_RETURN(rhs, node.build().transpose(rhs, swap));
  }
  VTA_ASSIGN_OR_RETURN(Value output, node.build().matmul(lhs, rhs));
  VTA_ASSIGN_OR_RETURN(output, scaled(node, output, alpha));
  double beta = node.number("beta", 1);
  if (!addend || beta == 0) return output;
  VTA_ASSIGN_OR_RETURN(addend, scaled(node, addend, beta));
  VTA_ASSIGN_OR_RETURN(Value sum, node.build().binary(graph::BinaryKind::add, output, addend));
  if (std::ranges::equal(graph::shapeOf(sum), graph::shapeOf(output))) return sum;
  return invalidArgument(fmt::format("C of shape {} does not broadcast to {}",
                                     graph::shapeText(graph::shapeOf(addend)),
                                     graph::shapeText(graph::shapeOf(output))));
}

std::span<const OpEntry> convolutionOps() {
  static constexpr OpEntry kOps[] = {
      {"Conv", 1, kLatest, importConv},
      {"ConvTranspose", 1, kLatest, importConvTranspose},
      {"Gemm", 1, kLatest, importGemm},
      {"MatMul", 1, kLatest, importMatMul},
  };
  return kOps;
}

}  // namespace vta::compiler
