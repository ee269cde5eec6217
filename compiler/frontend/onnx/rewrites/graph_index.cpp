#include "compiler/frontend/onnx/rewrites/graph_index.h"

#include "compiler/frontend/onnx/rewrites/node_order.h"

namespace vta::compiler {

bool isOp(const onnx::NodeProto& node, std::string_view type, std::string_view domain) {
  const bool is_default = node.domain().empty() || node.domain() == "ai.onnx";
  return node.op_type() == type && (domain.empty() ? is_default : node.domain() == domain);
}

std::string inputOf(const onnx::NodeProto& node, int index) {
  return index < node.input_size() ? node.input(index) : "";
}

GraphIndex::GraphIndex(onnx::GraphProto& graph) {
  for (auto& node : *graph.mutable_node()) {
    for (const std::string& output : node.output()) producers_[output] = &node;
    for (const std::string_view name : namesRead(node)) {
      readers_[std::string(name)].push_back(&node);
    }
  }
  for (const auto& tensor : graph.initializer()) initializers_[tensor.name()] = &tensor;
  for (const auto& output : graph.output()) results_.insert(output.name());
}

onnx::NodeProto* GraphIndex::producer(const std::string& name) const {
  const auto found = producers_.find(name);
  return found == producers_.end() ? nullptr : found->second;
}

const onnx::NodeProto* GraphIndex::soleReader(const std::string& name) const {
  const auto found = readers_.find(name);
  if (found == readers_.end() || found->second.size() != 1 || results_.contains(name)) {
    return nullptr;
  }
  return found->second.front();
}

const onnx::TensorProto* GraphIndex::initializer(const std::string& name) const {
  const auto found = initializers_.find(name);
  return found == initializers_.end() ? nullptr : found->second;
}

bool GraphIndex::isTaken(const std::string& name) const {
  return producers_.contains(name) || readers_.contains(name) || initializers_.contains(name);
}

}  // namespace vta::compiler
