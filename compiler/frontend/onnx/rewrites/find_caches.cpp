#include "compiler/frontend/onnx/rewrites/find_caches.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "compiler/frontend/onnx/domains.h"
#include "compiler/frontend/onnx/rewrites/graph_index.h"

namespace vta::compiler {
namespace {

using onnx::NodeProto;

int64_t rankOf(const onnx::ValueInfoProto& value) {
  return value.type().tensor_type().shape().dim_size();
}

/// The attribute `axis`, counted from the first dimension.
int64_t axisOf(const NodeProto& node, int64_t rank) {
  for (const auto& attribute : node.attribute()) {
    if (attribute.name() == "axis") return attribute.i() < 0 ? attribute.i() + rank : attribute.i();
  }
  return 0;
}

/// Where an attention has a cache: earlier rows among its inputs, all rows among its outputs.
struct CachePorts {
  int past = 0;
  int present = 0;
};

class CacheFinder {
 public:
  explicit CacheFinder(onnx::GraphProto& graph) : graph_(graph), index_(graph) {
    std::set<std::string_view> constants;
    for (const auto& tensor : graph.initializer()) constants.insert(tensor.name());
    for (const auto& input : graph.input()) {
      if (!constants.contains(input.name())) inputs_[input.name()] = &input;
    }
  }

  Result<std::vector<FoundCache>> run() {
    for (const auto& output : graph_.output()) VTA_RETURN_IF_ERROR(addOutput(output.name()));
    return std::move(found_);
  }

 private:
  Status addOutput(const std::string& present) {
    std::string made = present;
    NodeProto* node = index_.producer(made);
    while (node != nullptr && isOp(*node, "Identity")) {
      made = node->input(0);
      node = index_.producer(made);
    }
    if (node == nullptr) return {};
    if (isOp(*node, "Concat")) return addConcat(*node, present);
    if (isOp(*node, "Attention")) {
      add(*node, present, made, CacheKind::kAttention, {{4, 1}, {5, 2}});
    } else if (isOp(*node, "GroupQueryAttention", kMicrosoft)) {
      add(*node, present, made, CacheKind::kGrouped, {{3, 1}, {4, 2}});
    }
    return {};
  }

  Status addConcat(NodeProto& node, const std::string& present) {
    if (node.input_size() != 2) return {};
    const auto first = inputs_.find(node.input(0));
    const auto second = inputs_.find(node.input(1));
    if (first == inputs_.end() && second == inputs_.end()) return {};
    if (first == inputs_.end()) {
      return unsupported(fmt::format("output '{}' has new rows in front of those of input '{}'",
                                     present, node.input(1)));
    }
    const int64_t axis = axisOf(node, rankOf(*first->second));
    found_.push_back({CacheKind::kConcat, node.input(0), present, node.input(1), axis, &node});
    return {};
  }

  /// `made` is the node's name for `present`.
  void add(NodeProto& node, const std::string& present, const std::string& made, CacheKind kind,
           const std::vector<CachePorts>& ports) {
    for (const auto& [past, of_present] : ports) {
      const std::string name = inputOf(node, past);
      const bool is_it = node.output_size() > of_present && node.output(of_present) == made;
      if (is_it && inputs_.contains(name)) found_.push_back({kind, name, present, "", 2, &node});
    }
  }

  onnx::GraphProto& graph_;
  GraphIndex index_;
  std::map<std::string, const onnx::ValueInfoProto*> inputs_;
  std::vector<FoundCache> found_;
};

/// What may stand between keys and the Softmax of their scores.
bool keepsScores(const NodeProto& node) {
  static constexpr std::string_view kKinds[] = {
      "Add",    "Cast",   "Concat",  "Div", "Expand", "Identity",  "MatMul",   "Mul",
      "Gather", "Repeat", "Reshape", "Sub", "Tile",   "Transpose", "Unsqueeze"};
  return std::ranges::find(kKinds, std::string_view(node.op_type())) != std::end(kKinds);
}

}  // namespace

Result<std::vector<FoundCache>> findCaches(onnx::GraphProto& graph) {
  return CacheFinder(graph).run();
}

NodeProto* scoresOf(onnx::GraphProto& graph, const std::string& keys) {
  // By value: whether a product lies between it and the keys.
  std::map<std::string, bool> reached = {{keys, false}};
  // Nodes stand in the order of their values.
  for (NodeProto& node : *graph.mutable_node()) {
    const auto from = std::ranges::find_if(
        node.input(), [&](const std::string& name) { return reached.contains(name); });
    if (from == node.input().end()) continue;
    const bool is_product = reached.at(*from);
    if (isOp(node, "Softmax")) {
      if (is_product) return &node;
      continue;
    }
    // Behind a second product, keys have become something else.
    if (!keepsScores(node) || (is_product && isOp(node, "MatMul"))) continue;
    for (const std::string& name : node.output()) {
      reached.emplace(name, is_product || isOp(node, "MatMul"));
    }
  }
  return nullptr;
}

}  // namespace vta::compiler
