#include "compiler/frontend/onnx/rewrites/dynamic_product.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace vta::compiler {
namespace {

using onnx::NodeProto;
using onnx::TensorProto;

/// The scales that an integer product is multiplied with.
using Factors = std::vector<std::string>;

/// The factors of a product of two scales, or the scale itself.
void addFactors(const std::string& name, Factors& factors, const GraphIndex& index) {
  const NodeProto* node = index.producer(name);
  if (node == nullptr || !isOp(*node, "Mul")) {
    factors.push_back(name);
    return;
  }
  factors.push_back(node->input(0));
  factors.push_back(node->input(1));
}

/// The scales in the Muls behind the Cast of an integer product, and what the last one gives.
bool findScales(DynamicProduct& product, const GraphIndex& index) {
  const NodeProto* cast = index.soleReader(product.node->output(0));
  if (cast == nullptr || !isOp(*cast, "Cast")) return false;
  const auto to = std::ranges::find(cast->attribute(), "to", &onnx::AttributeProto::name);
  if (to == cast->attribute().end() || to->i() != TensorProto::FLOAT) return false;
  Factors factors;
  std::string value = cast->output(0);
  while (factors.size() < 2) {
    const NodeProto* mul = index.soleReader(value);
    if (mul == nullptr || !isOp(*mul, "Mul") || mul->input(0) == mul->input(1)) return false;
    addFactors(mul->input(mul->input(0) == value ? 1 : 0), factors, index);
    value = mul->output(0);
  }
  if (factors.size() != 2) return false;
  const NodeProto* range = rangeOf(product.lhs, index);
  if (range == nullptr) return false;
  if (factors[0] != range->output(1)) std::swap(factors[0], factors[1]);
  product.lhs_scale = factors[0];
  product.rhs_scale = factors[1];
  product.output = value;
  return true;
}

}  // namespace

std::optional<DynamicProduct> dynamicProductOf(const NodeProto& node, const GraphIndex& index) {
  DynamicProduct product;
  product.node = &node;
  product.lhs = inputOf(node, 0);
  product.rhs = inputOf(node, 1);
  product.is_conv = isOp(node, "ConvInteger");
  if (product.is_conv || isOp(node, "MatMulInteger")) {
    product.lhs_zero = inputOf(node, 2);
    product.rhs_zero = inputOf(node, 3);
    return findScales(product, index) ? std::optional(product) : std::nullopt;
  }
  product.output = node.output_size() > 0 ? node.output(0) : "";
  if (isOp(node, "MatMulIntegerToFloat", kMicrosoft)) {
    product.lhs_scale = inputOf(node, 2);
    product.rhs_scale = inputOf(node, 3);
    product.lhs_zero = inputOf(node, 4);
    product.rhs_zero = inputOf(node, 5);
    product.bias = inputOf(node, 6);
    return product;
  }
  if (isOp(node, "QAttention", kMicrosoft)) {
    product.bias = inputOf(node, 2);
    product.lhs_scale = inputOf(node, 3);
    product.rhs_scale = inputOf(node, 4);
    product.lhs_zero = inputOf(node, 6);
    product.rhs_zero = inputOf(node, 7);
    return product;
  }
  if (isOp(node, "DynamicQuantizeMatMul", kMicrosoft)) {
    product.rhs_scale = inputOf(node, 2);
    product.rhs_zero = inputOf(node, 3);
    product.bias = inputOf(node, 4);
    return product;
  }
  return std::nullopt;
}

const NodeProto* rangeOf(const std::string& name, const GraphIndex& index) {
  const NodeProto* node = index.producer(name);
  if (node == nullptr || !isOp(*node, "DynamicQuantizeLinear")) return nullptr;
  return node->output_size() == 3 && node->output(0) == name ? node : nullptr;
}

}  // namespace vta::compiler
