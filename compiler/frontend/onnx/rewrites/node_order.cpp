#include "compiler/frontend/onnx/rewrites/node_order.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "compiler/frontend/onnx/model_file.h"

namespace vta::compiler {
namespace {

using Names = std::unordered_set<std::string_view>;
using IsOuter = std::function<bool(std::string_view)>;

/// Names that a graph has without nodes: its inputs and initializers.
Names givenNames(const onnx::GraphProto& graph) {
  Names given;
  for (const auto& input : graph.input()) given.insert(input.name());
  for (const auto& initializer : graph.initializer()) given.insert(initializer.name());
  for (const auto& sparse : graph.sparse_initializer()) given.insert(sparse.values().name());
  return given;
}

void addCaptures(const onnx::GraphProto& graph, std::vector<std::string_view>& names) {
  Names defined = givenNames(graph);
  for (const auto& node : graph.node()) defined.insert(node.output().begin(), node.output().end());
  const auto read = [&](std::string_view name) {
    if (!defined.contains(name)) names.push_back(name);
  };
  for (const auto& node : graph.node()) std::ranges::for_each(namesRead(node), read);
  for (const auto& output : graph.output()) read(output.name());
}

/// A graph as node indexes.
class Dependences {
 public:
  Dependences(const onnx::GraphProto& graph, const IsOuter& is_outer)
      : graph_(graph), is_outer_(is_outer) {}

  Status build();
  /// All nodes, producers first.
  Result<std::vector<int>> sort() const;
  std::vector<bool> neededByOutputs() const;

 private:
  Status defineNodes(const Names& given);
  Status cycleError(const std::vector<int>& path, int entry) const;

  const onnx::GraphProto& graph_;
  const IsOuter& is_outer_;
  std::unordered_map<std::string_view, int> producers_;  // of values
  std::vector<std::vector<int>> inputs_;                 // producers of each node
};

Status Dependences::defineNodes(const Names& given) {
  for (int i = 0; i < graph_.node_size(); ++i) {
    for (const std::string& output : graph_.node(i).output()) {
      if (output.empty()) continue;
      auto [position, is_new] = producers_.emplace(output, i);
      if (!is_new || given.contains(output)) {
        return invalidArgument(fmt::format("{}: its output '{}' is defined elsewhere too",
                                           nodeLabel(graph_.node(i)), output));
      }
    }
  }
  return {};
}

Status Dependences::build() {
  const Names given = givenNames(graph_);
  const auto is_given = [&](std::string_view name) {
    return name.empty() || given.contains(name) || is_outer_(name);
  };
  VTA_RETURN_IF_ERROR(defineNodes(given));

  std::vector<std::string> undefined;
  inputs_.resize(graph_.node_size());
  for (int i = 0; i < graph_.node_size(); ++i) {
    for (std::string_view input : namesRead(graph_.node(i))) {
      auto producer = producers_.find(input);
      if (producer != producers_.end()) {
        inputs_[i].push_back(producer->second);
      } else if (!is_given(input)) {
        undefined.push_back(fmt::format("{} reads '{}'", nodeLabel(graph_.node(i)), input));
      }
    }
  }
  for (const auto& output : graph_.output()) {
    if (!producers_.contains(output.name()) && !is_given(output.name())) {
      undefined.push_back(fmt::format("the model's output '{}'", output.name()));
    }
  }
  if (undefined.empty()) return {};
  return invalidArgument(fmt::format("{} value(s) that no node, input or initializer defines: {}",
                                     undefined.size(), fmt::join(undefined, "; ")));
}

Status Dependences::cycleError(const std::vector<int>& path, int entry) const {
  std::vector<std::string> labels;
  for (auto node = std::ranges::find(path, entry); node != path.end(); ++node) {
    labels.push_back(nodeLabel(graph_.node(*node)));
  }
  labels.push_back(nodeLabel(graph_.node(entry)));
  return invalidArgument(fmt::format("the graph has a cycle: {}", fmt::join(labels, " -> ")));
}

Result<std::vector<int>> Dependences::sort() const {
  enum class State : uint8_t { kNew, kOpen, kDone };
  std::vector<State> states(inputs_.size(), State::kNew);
  std::vector<int> order;
  std::vector<int> path;                           // open nodes: each reads the next one's output
  std::vector<size_t> next_input(inputs_.size());  // of open nodes
  for (int root = 0; root < graph_.node_size(); ++root) {
    if (states[root] == State::kNew) path.push_back(root);
    while (!path.empty()) {
      int node = path.back();
      states[node] = State::kOpen;
      if (next_input[node] == inputs_[node].size()) {
        states[node] = State::kDone;
        order.push_back(node);
        path.pop_back();
        continue;
      }
      int input = inputs_[node][next_input[node]++];
      if (states[input] == State::kOpen) return cycleError(path, input);
      if (states[input] == State::kNew) path.push_back(input);
    }
  }
  return order;
}

std::vector<bool> Dependences::neededByOutputs() const {
  std::vector<bool> needed(inputs_.size());
  std::vector<int> pending;
  auto need = [&](int node) {
    if (!needed[node]) pending.push_back(node);
    needed[node] = true;
  };
  for (const auto& output : graph_.output()) {
    if (auto node = producers_.find(output.name()); node != producers_.end()) need(node->second);
  }
  while (!pending.empty()) {
    int node = pending.back();
    pending.pop_back();
    for (int input : inputs_[node]) need(input);
  }
  return needed;
}

}  // namespace

std::vector<std::string_view> namesRead(const onnx::NodeProto& node) {
  std::vector<std::string_view> names(node.input().begin(), node.input().end());
  for (const auto& attribute : node.attribute()) {
    if (attribute.has_g()) addCaptures(attribute.g(), names);
    for (const auto& graph : attribute.graphs()) addCaptures(graph, names);
  }
  return names;
}

Result<std::vector<const onnx::NodeProto*>> sortNodes(const onnx::GraphProto& graph,
                                                      const IsOuter& is_outer) {
  Dependences dependences(graph, is_outer);
  VTA_RETURN_IF_ERROR(dependences.build());
  VTA_ASSIGN_OR_RETURN(std::vector<int> order, dependences.sort());
  std::vector<bool> needed = dependences.neededByOutputs();
  std::vector<const onnx::NodeProto*> nodes;
  for (int node : order) {
    if (needed[node]) nodes.push_back(&graph.node(node));
  }
  return nodes;
}

}  // namespace vta::compiler
