// A graph of ONNX Runtime, as far as it is looked at more than once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/ort/ort.h"

namespace vta::ort {

/// What is known of a value.
struct Value {
  int32_t type = 0;                           ///< ONNX's TensorProto::DataType; 0: no tensor
  std::optional<std::vector<int64_t>> shape;  ///< -1 for an extent that is not fixed
  std::vector<std::string> symbols;           ///< names of extents; empty where there is none

  /// It is a tensor, and every extent is a number.
  bool isFixed() const;
};

struct Node {
  const OrtNode* handle = nullptr;
  std::string name;
  std::string op;
  std::string domain;
  std::vector<std::string> inputs;   ///< "" for one that is left out
  std::vector<std::string> outputs;  ///< "" for one that is left out
  std::vector<std::string> implicit_inputs;

  /// "node 'conv1' (Conv)"
  std::string label() const;
  /// Whether it is the compiled graph of some execution provider.
  bool isContext() const { return op == "EPContext" && domain == "com.microsoft"; }
};

/// Valid as long as the graph that it was read from.
struct Graph {
  const OrtGraph* handle = nullptr;
  bool is_nested = false;  ///< inside of a node, as a branch of If
  std::vector<Node> nodes;
  std::vector<std::string> inputs;  ///< without those that are constants
  std::vector<std::string> outputs;
  std::map<std::string, const OrtValueInfo*> constants;
  std::map<std::string, Value> values;

  /// The text attribute `name` of `node`; empty where it is none.
  static std::string textOf(const Ort& ort, const Node& node, const char* name);
};

/// Reads a graph. Throws api::Error.
Graph readGraph(const Ort& ort, const OrtGraph* graph);

}  // namespace vta::ort
