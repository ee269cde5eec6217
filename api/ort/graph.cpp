#include "api/ort/graph.h"

#include <fmt/format.h>

#include <algorithm>

namespace vta::ort {
namespace {

using Values = std::vector<const OrtValueInfo*>;

Value readValue(const Ort& ort, const OrtValueInfo* info) {
  Value value;
  const auto* type = ort.get<const OrtTypeInfo*>(info, ort->GetValueInfoTypeInfo);
  const auto* tensor =
      ort.get<const OrtTensorTypeAndShapeInfo*>(type, ort->CastTypeInfoToTensorInfo);
  if (tensor == nullptr) return value;
  value.type = ort.get<ONNXTensorElementDataType>(tensor, ort->GetTensorElementType);
  const auto rank = ort.get<size_t>(tensor, ort->GetDimensionsCount);
  std::vector<int64_t> shape(rank);
  std::vector<const char*> symbols(rank);
  if (rank > 0) {
    ort.check(ort->GetDimensions(tensor, shape.data(), rank));
    ort.check(ort->GetSymbolicDimensions(tensor, symbols.data(), rank));
  }
  value.shape = std::move(shape);
  for (const char* symbol : symbols) value.symbols.emplace_back(symbol != nullptr ? symbol : "");
  return value;
}

/// Notes what is known of values, and returns their names.
std::vector<std::string> note(const Ort& ort, Graph& graph, const Values& values) {
  std::vector<std::string> names;
  for (const OrtValueInfo* info : values) {
    names.emplace_back(info != nullptr ? ort.get<const char*>(info, ort->GetValueInfoName) : "");
    if (!names.back().empty() && !graph.values.contains(names.back())) {
      graph.values[names.back()] = readValue(ort, info);
    }
  }
  return names;
}

Node readNode(const Ort& ort, Graph& graph, const OrtNode* handle) {
  Node node;
  node.handle = handle;
  node.name = ort.get<const char*>(handle, ort->Node_GetName);
  node.op = ort.get<const char*>(handle, ort->Node_GetOperatorType);
  node.domain = ort.get<const char*>(handle, ort->Node_GetDomain);
  const auto values = [&](auto count, auto fill) {
    return note(ort, graph, ort.list<const OrtValueInfo*>(handle, count, fill));
  };
  node.inputs = values(ort->Node_GetNumInputs, ort->Node_GetInputs);
  node.outputs = values(ort->Node_GetNumOutputs, ort->Node_GetOutputs);
  node.implicit_inputs = values(ort->Node_GetNumImplicitInputs, ort->Node_GetImplicitInputs);
  return node;
}

}  // namespace

bool Value::isFixed() const {
  return type != 0 && shape && std::ranges::none_of(*shape, [](int64_t n) { return n < 0; });
}

std::string Node::label() const { return fmt::format("node '{}' ({})", name, op); }

std::string Graph::textOf(const Ort& ort, const Node& node, const char* name) {
  for (const OrtOpAttr* attribute : ort.list<const OrtOpAttr*>(
           node.handle, ort->Node_GetNumAttributes, ort->Node_GetAttributes)) {
    if (std::string(name) != ort.get<const char*>(attribute, ort->OpAttr_GetName)) continue;
    size_t size = 0;
    // Without room it only says how much there is.
    if (OrtStatus* status = ort->ReadOpAttr(attribute, ORT_OP_ATTR_STRING, nullptr, 0, &size)) {
      ort->ReleaseStatus(status);
    }
    std::string text(size, '\0');
    if (size == 0) return text;
    ort.check(ort->ReadOpAttr(attribute, ORT_OP_ATTR_STRING, text.data(), size, &size));
    return text;
  }
  return "";
}

Graph readGraph(const Ort& ort, const OrtGraph* handle) {
  Graph graph;
  graph.handle = handle;
  graph.is_nested = ort.get<const OrtNode*>(handle, ort->Graph_GetParentNode) != nullptr;
  for (const OrtValueInfo* info : ort.list<const OrtValueInfo*>(
           handle, ort->Graph_GetNumInitializers, ort->Graph_GetInitializers)) {
    // One that is an input, too, may have another value in a run.
    if (ort.get<bool>(info, ort->ValueInfo_IsConstantInitializer)) {
      graph.constants[note(ort, graph, {info})[0]] = info;
    }
  }
  const auto inputs =
      ort.list<const OrtValueInfo*>(handle, ort->Graph_GetNumInputs, ort->Graph_GetInputs);
  for (const std::string& name : note(ort, graph, inputs)) {
    if (!graph.constants.contains(name)) graph.inputs.push_back(name);
  }
  const auto outputs =
      ort.list<const OrtValueInfo*>(handle, ort->Graph_GetNumOutputs, ort->Graph_GetOutputs);
  graph.outputs = note(ort, graph, outputs);
  for (const OrtNode* node :
       ort.list<const OrtNode*>(handle, ort->Graph_GetNumNodes, ort->Graph_GetNodes)) {
    graph.nodes.push_back(readNode(ort, graph, node));
  }
  return graph;
}

}  // namespace vta::ort
