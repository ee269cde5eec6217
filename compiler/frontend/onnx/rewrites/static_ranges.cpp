#include "compiler/frontend/onnx/rewrites/static_ranges.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "compiler/frontend/onnx/rewrites/dynamic_product.h"
#include "compiler/frontend/onnx/rewrites/graph_index.h"

namespace vta::compiler {
namespace {

using onnx::NodeProto;
using onnx::TensorProto;

int64_t countOf(const TensorProto& tensor) {
  int64_t count = 1;
  for (const int64_t extent : tensor.dims()) count *= extent;
  return count;
}

/// Rewrites the nodes of one graph; one use.
class RangeRewriter {
 public:
  explicit RangeRewriter(onnx::GraphProto& graph) : graph_(graph), index_(graph) {}

  int64_t run() {
    std::vector<DynamicProduct> products;
    for (const NodeProto& node : graph_.node()) {
      if (auto product = dynamicProductOf(node, index_)) products.push_back(std::move(*product));
    }
    // The graph grows from here on, and the index points into it.
    std::vector<std::pair<NodeProto*, std::vector<NodeProto>>> rewritten;
    for (const DynamicProduct& product : products) {
      if (auto nodes = floatNodes(product)) {
        rewritten.emplace_back(index_.producer(product.output), std::move(*nodes));
      }
    }
    for (auto& [last, nodes] : rewritten) {
      *last = nodes.back();
      nodes.pop_back();
    }
    for (const auto& [last, nodes] : rewritten) {
      for (const NodeProto& node : nodes) *graph_.add_node() = node;
    }
    for (TensorProto& tensor : constants_) *graph_.add_initializer() = std::move(tensor);
    return std::ssize(rewritten);
  }

 private:
  /// Nodes that give the product's output, which the last one has.
  std::optional<std::vector<NodeProto>> floatNodes(const DynamicProduct& product) {
    std::vector<NodeProto> nodes;
    const auto lhs = product.lhs_scale.empty()
                         ? std::optional(product.lhs)
                         : realTensor(product.lhs, product.lhs_scale, product.lhs_zero);
    if (!lhs) return std::nullopt;
    auto rhs = realTensor(product.rhs, product.rhs_scale, product.rhs_zero);
    if (!rhs) rhs = realWeights(product, nodes);
    if (!rhs) return std::nullopt;
    if (isOp(*product.node, "QAttention", kMicrosoft)) {
      nodes.push_back(realAttention(product, *lhs, *rhs));
      return nodes;
    }
    NodeProto real;
    real.set_op_type(product.is_conv ? "Conv" : "MatMul");
    real.set_name(product.node->name());
    if (product.is_conv) *real.mutable_attribute() = product.node->attribute();
    real.add_input(*lhs);
    real.add_input(*rhs);
    if (product.bias.empty()) {
      real.add_output(product.output);
      nodes.push_back(real);
      return nodes;
    }
    NodeProto sum;
    sum.set_op_type("Add");
    sum.add_input(newName(product.output + "/product"));
    sum.add_input(product.bias);
    sum.add_output(product.output);
    real.add_output(sum.input(0));
    nodes.push_back(real);
    nodes.push_back(sum);
    return nodes;
  }

  static NodeProto realAttention(const DynamicProduct& product, const std::string& input,
                                 const std::string& weights) {
    NodeProto real = *product.node;
    real.set_op_type("Attention");
    real.clear_input();
    const std::string mask = inputOf(*product.node, 5), past = inputOf(*product.node, 8);
    for (const std::string& name : {input, weights, product.bias, mask, past}) real.add_input(name);
    return real;
  }

  /// What a DynamicQuantizeLinear with this scale and zero point has quantised.
  std::optional<std::string> realTensor(const std::string& integers, const std::string& scale,
                                        const std::string& zero) const {
    const NodeProto* range = rangeOf(integers, index_);
    if (range == nullptr || range->output(1) != scale || range->output(2) != zero) {
      return std::nullopt;
    }
    return range->input(0);
  }

  /// The name of the dequantised weights, after a node that makes them.
  std::optional<std::string> realWeights(const DynamicProduct& product,
                                         std::vector<NodeProto>& nodes) {
    const TensorProto* weights = index_.initializer(product.rhs);
    const TensorProto* scale = index_.initializer(product.rhs_scale);
    const TensorProto* zero = index_.initializer(product.rhs_zero);
    if (weights == nullptr || scale == nullptr || (!product.rhs_zero.empty() && zero == nullptr)) {
      return std::nullopt;
    }
    const int64_t axis = product.is_conv ? 0 : weights->dims_size() - 1;
    if (weights->dims_size() < 2 || (product.is_conv && weights->dims_size() < 3)) {
      return std::nullopt;
    }
    const int64_t channels = weights->dims(static_cast<int>(axis));
    const int64_t behind = product.is_conv ? weights->dims_size() - 2 : 0;
    const int64_t scales = countOf(*scale), zeros = zero != nullptr ? countOf(*zero) : 1;
    // The result's channel is the last dimension of a matrix product; pixels follow it in images.
    if (scales != 1 && (scales != channels || extentFromEnd(*scale, behind) != channels)) {
      return std::nullopt;
    }
    if (zeros != 1 && zeros != channels) return std::nullopt;
    const int64_t count = std::max(scales, zeros);
    NodeProto node;
    node.set_op_type("DequantizeLinear");
    node.set_name(product.node->name() + "/weights");
    node.add_input(product.rhs);
    for (const TensorProto* constant : {scale, zero}) {
      if (constant == nullptr) continue;
      const auto name = vectorOf(*constant, count);
      if (!name) return std::nullopt;
      node.add_input(*name);
    }
    node.add_output(newName(product.output + "/weights"));
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name("axis");
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(axis);
    nodes.push_back(node);
    return node.output(0);
  }

  /// The extent that has `behind` dimensions behind it; 0 if there is none.
  static int64_t extentFromEnd(const TensorProto& tensor, int64_t behind) {
    const int64_t index = tensor.dims_size() - 1 - behind;
    return index < 0 ? 0 : tensor.dims(static_cast<int>(index));
  }

  /// A constant with the elements of `tensor`, a number or a vector of `count`.
  std::optional<std::string> vectorOf(const TensorProto& tensor, int64_t count) {
    const bool repeats = countOf(tensor) != count;
    if (repeats && tensor.data_location() == TensorProto::EXTERNAL) return std::nullopt;
    TensorProto vector = tensor;
    vector.set_name(newName(tensor.name() + "/vector"));
    vector.clear_dims();
    if (count != 1) vector.add_dims(count);
    for (int64_t i = 1; repeats && i < count; ++i) {
      vector.mutable_raw_data()->append(tensor.raw_data());
      vector.mutable_float_data()->MergeFrom(tensor.float_data());
      vector.mutable_int32_data()->MergeFrom(tensor.int32_data());
    }
    if (vector.raw_data().empty()) vector.clear_raw_data();
    constants_.push_back(vector);
    return vector.name();
  }

  /// `wanted`, or with a number behind it, so that nothing else has the name.
  std::string newName(const std::string& wanted) {
    std::string name = wanted;
    for (int number = 2; isTaken(name); ++number) name = wanted + "#" + std::to_string(number);
    new_names_.insert(name);
    return name;
  }

  bool isTaken(const std::string& name) const {
    return new_names_.contains(name) || index_.isTaken(name);
  }

  onnx::GraphProto& graph_;
  GraphIndex index_;
  std::unordered_set<std::string> new_names_;
  std::vector<TensorProto> constants_;
};

template <typename Graph, typename Visit>
void forEachSubgraph(Graph& graph, const Visit& visit) {
  for (int i = 0; i < graph.node_size(); ++i) {
    if constexpr (std::is_const_v<Graph>) {
      for (const auto& attribute : graph.node(i).attribute()) {
        if (attribute.has_g()) visit(attribute.g());
      }
    } else {
      for (auto& attribute : *graph.mutable_node(i)->mutable_attribute()) {
        if (attribute.has_g()) visit(*attribute.mutable_g());
      }
    }
  }
}

}  // namespace

int64_t countDynamicRanges(const onnx::GraphProto& graph) {
  int64_t count = std::ranges::count_if(graph.node(), [](const NodeProto& node) {
    return isOp(node, "DynamicQuantizeLinear") || isOp(node, "DynamicQuantizeMatMul", kMicrosoft);
  });
  forEachSubgraph(graph, [&](const auto& inner) { count += countDynamicRanges(inner); });
  return count;
}

int64_t makeRangesStatic(onnx::GraphProto& graph) {
  int64_t count = RangeRewriter(graph).run();
  forEachSubgraph(graph, [&](auto& inner) { count += makeRangesStatic(inner); });
  return count;
}

}  // namespace vta::compiler
