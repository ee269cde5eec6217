// GraphIndex: who makes and who reads each value of an ONNX graph.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/frontend/onnx/domains.h"
#include "onnx/onnx_pb.h"

namespace vta::compiler {

/// Whether `node` is an operator of this type; by default of ONNX's own domain.
bool isOp(const onnx::NodeProto& node, std::string_view type, std::string_view domain = "");

/// An input, or an empty name if it is absent.
std::string inputOf(const onnx::NodeProto& node, int index);

/// An index of one graph, without its subgraphs. It points into the graph, so it is valid until
/// nodes or initializers are added or removed.
class GraphIndex {
 public:
  explicit GraphIndex(onnx::GraphProto& graph);

  /// The node that makes the value, or null: an input or a constant.
  onnx::NodeProto* producer(const std::string& name) const;
  /// The node that alone reads a value, or null: none or several do, or it is a result of the
  /// graph.
  const onnx::NodeProto* soleReader(const std::string& name) const;
  /// The constant of this name, or null.
  const onnx::TensorProto* initializer(const std::string& name) const;
  /// Whether a value or constant has the name.
  bool isTaken(const std::string& name) const;

 private:
  std::unordered_map<std::string, onnx::NodeProto*> producers_;
  std::unordered_map<std::string, std::vector<const onnx::NodeProto*>> readers_;
  std::unordered_map<std::string, const onnx::TensorProto*> initializers_;
  std::unordered_set<std::string> results_;
};

}  // namespace vta::compiler
