#include "compiler/frontend/onnx/rewrites/last_scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "compiler/frontend/onnx/domains.h"
#include "compiler/frontend/onnx/rewrites/graph_index.h"

namespace vta::compiler {
namespace {

using onnx::NodeProto;
using onnx::TensorProto;

/// Whether weights lie there: a constant, or what a few nodes make of constants.
bool isConstant(const GraphIndex& index, const std::string& name, int most_nodes = 4) {
  if (name.empty() || index.initializer(name) != nullptr) return true;
  const NodeProto* node = index.producer(name);
  return node != nullptr && most_nodes > 0 &&
         std::ranges::all_of(node->input(), [&](const std::string& input) {
           return isConstant(index, input, most_nodes - 1);
         });
}

/// What may stand behind the product: it treats each word by itself.
bool keepsWords(const NodeProto& node) {
  static constexpr std::string_view kKinds[] = {"Add", "Cast",     "Clip", "DequantizeLinear",
                                                "Div", "Identity", "Mul",  "QuantizeLinear",
                                                "Sub", "Tanh"};
  return std::ranges::find(kKinds, std::string_view(node.op_type())) != std::end(kKinds);
}

/// The product with weights that makes `output`; null: there is none.
NodeProto* lastProduct(const GraphIndex& index, const std::string& output) {
  NodeProto* node = index.producer(output);
  while (node != nullptr) {
    if (isOp(*node, "MatMul") || isOp(*node, "MatMulNBits", kMicrosoft)) {
      const bool has_weights =
          isConstant(index, inputOf(*node, 1)) && !isConstant(index, inputOf(*node, 0));
      return has_weights ? node : nullptr;
    }
    std::vector<std::string> data;
    for (const std::string& input : node->input()) {
      if (!isConstant(index, input)) data.push_back(input);
    }
    if (!keepsWords(*node) || data.size() != 1) return nullptr;
    node = index.producer(data[0]);
  }
  return nullptr;
}

bool hasNumbers(const onnx::GraphProto& graph, const std::string& words) {
  const auto input = std::ranges::find_if(
      graph.input(), [&](const onnx::ValueInfoProto& value) { return value.name() == words; });
  if (input == graph.input().end()) return false;
  const int32_t type = input->type().tensor_type().elem_type();
  return type == TensorProto::INT64 || type == TensorProto::INT32;
}

/// Adds nodes that find the last word of a run.
class RowFinder {
 public:
  RowFinder(onnx::GraphProto& graph, const GraphIndex& index) : graph_(graph) {
    while (index.isTaken(prefix_)) prefix_ += "_";
  }

  /// The number of the last word, in the shape [1].
  std::string add(const std::string& words) {
    const std::string numbers = node("Cast", {words}, "numbers", TensorProto::INT64);
    const std::string is_word = node("Less", {constant("none", -1), numbers}, "is_word");
    const std::string ones = node("Cast", {is_word}, "ones", TensorProto::INT64);
    const std::string count = node("ReduceSum", {ones}, "count");
    const std::string flat = node("Reshape", {count, constant("shape", 1)}, "flat");
    return node("Sub", {flat, constant("one", 1)}, "");
  }

  std::string node(const char* kind, const std::vector<std::string>& inputs,
                   const std::string& suffix, int32_t type = 0) {
    NodeProto& node = *graph_.add_node();
    node.set_op_type(kind);
    for (const std::string& input : inputs) node.add_input(input);
    const std::string name = suffix.empty() ? prefix_ : fmt::format("{}.{}", prefix_, suffix);
    node.set_name(name);
    node.add_output(name);
    if (type != 0) setInteger(node, "to", type);
    return name;
  }

  static void setInteger(NodeProto& node, const char* name, int64_t value) {
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(value);
  }

 private:
  std::string constant(const char* suffix, int64_t value) {
    TensorProto& tensor = *graph_.add_initializer();
    tensor.set_name(fmt::format("{}.{}", prefix_, suffix));
    tensor.set_data_type(TensorProto::INT64);
    tensor.add_dims(1);
    tensor.add_int64_data(value);
    return tensor.name();
  }

  onnx::GraphProto& graph_;
  std::string prefix_ = "text_last_word";
};

}  // namespace

bool scoreLastWord(onnx::GraphProto& graph, const std::string& words) {
  if (!hasNumbers(graph, words) || graph.output_size() == 0) return false;
  onnx::ValueInfoProto& scores = *graph.mutable_output(0);
  onnx::TypeProto& type = *scores.mutable_type();
  if (type.tensor_type().shape().dim_size() != 3) return false;
  const GraphIndex index(graph);
  NodeProto* product = lastProduct(index, scores.name());
  if (product == nullptr) return false;
  const std::string rows = product->input(0);
  RowFinder finder(graph, index);
  const std::string row = finder.node("Gather", {rows, finder.add(words)}, "row");
  RowFinder::setInteger(*graph.mutable_node(graph.node_size() - 1), "axis", 1);
  product->set_input(0, row);
  type.mutable_tensor_type()->clear_shape();
  return true;
}

}  // namespace vta::compiler
