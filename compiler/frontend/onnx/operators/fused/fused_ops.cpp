// Fused operators of com.microsoft, which ONNX Runtime's optimiser and its exporters make.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/frontend/onnx/op_table.h"
#include "compiler/frontend/onnx/operators/integer/quantize.h"
#include "compiler/frontend/onnx/operators/layers.h"
#include "compiler/frontend/onnx/operators/layout.h"

namespace vta::compiler {
namespace {

using graph::Shape;
using graph::UnaryKind;
using mlir::Value;

Value withOptional(Composer& c, Value value, Value addend) {
  return addend ? c.add(value, addend) : value;
}

template <bool fast>
Status importBiasGelu(Node& node) {
  Composer c(node);
  return c.finish(gelu(c, withOptional(c, c.input(0, "A"), c.optional(1)), fast));
}

Status importQuickGelu(Node& node) {
  Composer c(node);
  return c.finish(swish(c, c.input(0, "X"), node.number("alpha", 1.702)));
}

/// The last two dimensions swapped; with `batch`, the first one of the batch becomes a row's.
Value transposed(Composer& c, Value value, bool swap, bool batch) {
  const int64_t rank = c.rank(value);
  if (!c.ok() || rank < 2) return value;
  Shape order(rank);
  for (int64_t i = 0; i < rank; ++i) order[i] = i;
  // [d0, d1 .. dn-2, dn-1] to [d1 .. dn-2, d0, dn-1].
  if (batch) std::rotate(order.begin(), order.begin() + 1, order.end() - 1);
  if (swap) std::swap(order[rank - 2], order[rank - 1]);
  return c.transpose(value, order);
}

Value activated(Composer& c, Value value);

Status importFusedMatMul(Node& node) {
  Composer c(node);
  const Value lhs = transposed(c, c.input(0, "A"), node.integer("transA", 0) != 0,
                               node.integer("transBatchA", 0) != 0);
  const Value rhs = transposed(c, c.input(1, "B"), node.integer("transB", 0) != 0,
                               node.integer("transBatchB", 0) != 0);
  if (!c.ok()) return c.status();
  const Value product = c.take(matrixProduct(node, lhs, rhs));
  return c.finish(activated(c, c.scale(product, node.number("alpha", 1))));
}

/// What FusedConv, FusedGemm and FusedMatMulActivation apply last.
Value activated(Composer& c, Value value) {
  Node& node = c.node();
  const std::string name = node.text("activation", "");
  const auto parameters = node.numberList("activation_params").value_or(std::vector<double>());
  const auto parameter = [&](size_t index, const char* attribute, double otherwise) {
    return index < parameters.size() ? parameters[index] : node.number(attribute, otherwise);
  };
  if (name.empty()) return value;
  if (name == "Relu") return c.unary(UnaryKind::relu, value);
  if (name == "Sigmoid") return c.unary(UnaryKind::sigmoid, value);
  if (name == "Tanh") return c.unary(UnaryKind::tanh, value);
  if (name == "LeakyRelu") {
    return c.unary(UnaryKind::leaky_relu, value, parameter(0, "activation_alpha", 0.01));
  }
  if (name == "HardSigmoid") {
    return c.unary(UnaryKind::hard_sigmoid, value, parameter(0, "activation_alpha", 0.2),
                   parameter(1, "activation_beta", 0.5));
  }
  if (name == "Clip" && parameters.size() == 2) {
    return c.take(node.build().clip(value, parameters[0], parameters[1]));
  }
  c.fail(unsupported(fmt::format("activation '{}' is not supported", name)));
  return {};
}

Status importFusedConv(Node& node) {
  Composer c(node);
  const Value input = c.input(0, "X"), weight = c.input(1, "W");
  if (!c.ok()) return c.status();
  Value output = c.take(convolution(node, input, weight, node.optionalInput(2)));
  return c.finish(activated(c, withOptional(c, output, c.optional(3))));
}

Status importFusedGemm(Node& node) {
  Composer c(node);
  const Value lhs = c.input(0, "A"), rhs = c.input(1, "B");
  if (!c.ok()) return c.status();
  return c.finish(activated(c, c.take(gemm(node, lhs, rhs, node.optionalInput(2)))));
}

Status importNhwcFusedConv(Node& node) {
  return importWithChannelsLast(node, importFusedConv, {0, 3});
}

Status importNhwcMaxPool(Node& node) {
  return importWithChannelsLast(node, findOp("", "MaxPool", kLatest)->import);
}

/// Adds a bias per channel and a skip connection.
Status importBiasAdd(Node& node) {
  Composer c(node);
  return c.finish(c.add(c.add(c.input(0, "X"), c.input(1, "bias")), c.input(2, "skip")));
}

/// Softmax of scores and what is added to them.
Status importBiasSoftmax(Node& node) {
  Composer c(node);
  const Value sum = c.add(c.input(0, "data"), c.input(1, "bias"));
  const int64_t last = c.rank(sum) - 1, axis = c.axis(node.integer("axis", 1), last + 1);
  if (!c.ok()) return c.status();
  if (axis != last) return unsupported("softmax over more than the last axis is not supported");
  return c.finish(c.softmax(sum, axis));
}

Shape lastAxis(Composer& c, Value value) { return {c.axis(-1, c.rank(value))}; }

/// Adds a skip connection (and a bias, `bias_index`), then normalises over the last axis.
Value skipSum(Composer& c, size_t bias_index) {
  const Value sum = c.add(c.input(0, "input"), c.input(1, "skip"));
  return withOptional(c, sum, c.optional(bias_index));
}

Status importSkipLayerNormalization(Node& node) {
  Composer c(node);
  const Value sum = skipSum(c, 4);
  if (!c.ok()) return c.status();
  const Shape axes = lastAxis(c, sum);
  if (!c.ok()) return c.status();
  VTA_ASSIGN_OR_RETURN(const Normalized result,
                       normalized(node, sum, axes, node.number("epsilon", 1e-12)));
  const Value scaled = c.mul(result.output, c.input(2, "gamma"));
  VTA_RETURN_IF_ERROR(c.finish(withOptional(c, scaled, c.optional(3))));
  return c.finish(sum, 3);
}

Status importSkipRmsNormalization(Node& node) {
  Composer c(node);
  const Value sum = skipSum(c, 3);
  if (!c.ok()) return c.status();
  const Value output =
      rootMeanSquareNormalized(c, sum, lastAxis(c, sum), node.number("epsilon", 1e-12));
  VTA_RETURN_IF_ERROR(c.finish(c.mul(output, c.input(2, "gamma"))));
  return c.finish(sum, 3);
}

/// An integer product that was scaled: by one number, or one for each column of the right side.
Value scaledProduct(Composer& c, Value product, Value lhs_scale, Value rhs_scale, Value bias) {
  if (!c.ok()) return {};
  const Value real = c.cast(product, graph::elementTypeOf(rhs_scale));
  return withOptional(c, c.mul(real, c.mul(lhs_scale, rhs_scale)), bias);
}

Status importMatMulIntegerToFloat(Node& node) {
  Composer c(node);
  const Value product =
      integerProduct(c, c.input(0, "A"), c.input(1, "B"), c.optional(4), c.optional(5));
  return c.finish(
      scaledProduct(c, product, c.input(2, "a_scale"), c.input(3, "b_scale"), c.optional(6)));
}

Status importDynamicQuantizeMatMul(Node& node) {
  Composer c(node);
  const DynamicallyQuantized a = quantizedDynamically(c, c.input(0, "A"));
  const Value product = integerProduct(c, a.output, c.input(1, "B"), a.zero_point, c.optional(3));
  return c.finish(scaledProduct(c, product, a.scale, c.input(2, "b_scale"), c.optional(4)));
}

}  // namespace

std::span<const OpEntry> fusedOps() {
  static constexpr OpEntry kOps[] = {
      {"BiasAdd", 1, kLatest, importBiasAdd},
      {"BiasGelu", 1, kLatest, importBiasGelu<false>},
      {"BiasSoftmax", 1, kLatest, importBiasSoftmax},
      {"DynamicQuantizeMatMul", 1, kLatest, importDynamicQuantizeMatMul},
      {"FastGelu", 1, kLatest, importBiasGelu<true>},
      {"FusedConv", 1, kLatest, importFusedConv},
      {"FusedGemm", 1, kLatest, importFusedGemm},
      {"FusedMatMul", 1, kLatest, importFusedMatMul},
      {"FusedMatMulActivation", 1, kLatest, importFusedMatMul},
      {"Gelu", 1, kLatest, importBiasGelu<false>},
      {"LayerNormalization", 1, kLatest, importLayerNormalization},
      {"MatMulIntegerToFloat", 1, kLatest, importMatMulIntegerToFloat},
      {"NhwcFusedConv", 1, kLatest, importNhwcFusedConv},
      {"NhwcMaxPool", 1, kLatest, importNhwcMaxPool},
      {"QuickGelu", 1, kLatest, importQuickGelu},
      {"SimplifiedLayerNormalization", 1, kLatest, importRmsNormalization},
      {"SkipLayerNormalization", 1, kLatest, importSkipLayerNormalization},
      {"SkipSimplifiedLayerNormalization", 1, kLatest, importSkipRmsNormalization},
      {"TransposeMatMul", 1, kLatest, importFusedMatMul},
  };
  return kOps;
}

}  // namespace vta::compiler
