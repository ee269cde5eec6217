#include "compiler/frontend/onnx/extents/needed_extents.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/frontend/onnx/model_file.h"

namespace vta::compiler {
namespace {

using onnx::NodeProto;
using Extents = std::vector<int64_t>;

/// A tensor whose dimension i is dimension origin[i] of the input.
struct Seen {
  std::string name;
  std::vector<int> origin;
};

bool isOneOf(const std::string& kind, std::initializer_list<std::string_view> kinds) {
  return std::ranges::find(kinds, kind) != kinds.end();
}

int64_t integerOf(const NodeProto& node, std::string_view name, int64_t otherwise) {
  const auto found = std::ranges::find(node.attribute(), name, &onnx::AttributeProto::name);
  return found == node.attribute().end() ? otherwise : found->i();
}

class ExtentSearch {
 public:
  explicit ExtentSearch(const onnx::GraphProto& graph) : graph_(graph) {
    for (const auto& tensor : graph.initializer()) {
      constants_[tensor.name()] = {tensor.dims().begin(), tensor.dims().end()};
    }
    // Weights of quantised models stand behind a node that keeps their shape.
    for (const NodeProto& node : graph.node()) {
      if (node.op_type() != "DequantizeLinear" || node.output_size() == 0) continue;
      const auto integers = constants_.find(node.input_size() > 0 ? node.input(0) : "");
      if (integers != constants_.end()) constants_[node.output(0)] = Extents(integers->second);
    }
  }

  std::map<int, NeededExtent> run(const std::string& name, int rank) {
    Seen input{name, {}};
    for (int i = 0; i < rank; ++i) input.origin.push_back(i);
    open_ = {std::move(input)};
    // A chain that is longer than the graph goes round in circles.
    for (size_t i = 0; i < open_.size() && i < static_cast<size_t>(graph_.node_size()) + 1; ++i) {
      const Seen seen = open_[i];
      for (const NodeProto& node : graph_.node()) {
        for (int k = 0; k < node.input_size(); ++k) {
          if (node.input(k) == seen.name) visit(node, k, seen);
        }
      }
    }
    return std::move(needed_);
  }

 private:
  const Extents* constantAt(const NodeProto& node, int index) const {
    if (index >= node.input_size()) return nullptr;
    const auto found = constants_.find(node.input(index));
    return found == constants_.end() ? nullptr : &found->second;
  }

  void need(const NodeProto& node, const Seen& seen, int64_t dimension, int64_t extent) {
    if (dimension < 0 || dimension >= std::ssize(seen.origin) || extent < 1) return;
    needed_.try_emplace(seen.origin[static_cast<size_t>(dimension)],
                        NeededExtent{extent, nodeLabel(node)});
  }

  void pass(const NodeProto& node, std::vector<int> origin) {
    if (node.output_size() > 0) open_.push_back({node.output(0), std::move(origin)});
  }

  void visit(const NodeProto& node, int index, const Seen& seen) {
    const std::string& kind = node.op_type();
    const auto rank = std::ssize(seen.origin);
    if (isOneOf(kind, {"Add", "Sub", "Mul", "Div"})) return broadcast(node, index, seen);
    if (index != 0) return;
    if (isOneOf(kind, {"Identity", "Cast", "Clip", "Relu", "Sigmoid", "Tanh", "Neg", "Abs",
                       "Dropout", "QuantizeLinear", "DequantizeLinear"})) {
      return pass(node, seen.origin);
    }
    if (kind == "Transpose") return transpose(node, seen);
    const Extents* weights = constantAt(node, 1);
    if (weights == nullptr) return;
    const auto at = [&](size_t dimension) {
      return dimension < weights->size() ? (*weights)[dimension] : 0;
    };
    if (kind == "Conv") need(node, seen, 1, at(1) * integerOf(node, "group", 1));
    if (kind == "ConvTranspose") need(node, seen, 1, at(0));
    if (kind == "MatMul" && weights->size() > 1) {
      need(node, seen, rank - 1, at(weights->size() - 2));
    }
    if (kind == "Gemm") {
      need(node, seen, integerOf(node, "transA", 0) != 0 ? 0 : 1,
           at(integerOf(node, "transB", 0) != 0 ? 1 : 0));
    }
    if (isOneOf(kind, {"LSTM", "GRU", "RNN"})) need(node, seen, 2, at(2));
    if (isOneOf(kind, {"BatchNormalization", "InstanceNormalization"})) need(node, seen, 1, at(0));
    if (kind == "LayerNormalization" && weights->size() == 1) need(node, seen, rank - 1, at(0));
  }

  void broadcast(const NodeProto& node, int index, const Seen& seen) {
    const Extents* constant = constantAt(node, 1 - index);
    const auto rank = std::ssize(seen.origin);
    if (constant == nullptr || std::ssize(*constant) > rank) return;
    const int64_t first = rank - std::ssize(*constant);
    for (int64_t i = 0; i < std::ssize(*constant); ++i) {
      const int64_t extent = (*constant)[static_cast<size_t>(i)];
      if (extent > 1) need(node, seen, first + i, extent);
    }
    pass(node, seen.origin);
  }

  void transpose(const NodeProto& node, const Seen& seen) {
    const auto found = std::ranges::find(node.attribute(), "perm", &onnx::AttributeProto::name);
    std::vector<int> origin(seen.origin.rbegin(), seen.origin.rend());
    if (found != node.attribute().end()) {
      if (found->ints_size() != static_cast<int>(origin.size())) return;
      for (int i = 0; i < found->ints_size(); ++i) {
        const int64_t from = found->ints(i);
        if (from < 0 || from >= std::ssize(origin)) return;
        origin[static_cast<size_t>(i)] = seen.origin[static_cast<size_t>(from)];
      }
    }
    pass(node, std::move(origin));
  }

  const onnx::GraphProto& graph_;
  std::unordered_map<std::string, Extents> constants_;
  std::vector<Seen> open_;
  std::map<int, NeededExtent> needed_;
};

}  // namespace

std::map<int, NeededExtent> neededExtents(const onnx::GraphProto& graph, const std::string& name,
                                          int rank) {
  return ExtentSearch(graph).run(name, rank);
}

}  // namespace vta::compiler
