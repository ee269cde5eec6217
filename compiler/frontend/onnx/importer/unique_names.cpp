#include "compiler/frontend/onnx/importer/unique_names.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <tuple>

#include "compiler/frontend/onnx/importer/function_body.h"

namespace vta::compiler {
namespace {

template <typename Named>
Status checkNames(const Named& named, const char* what) {
  std::set<std::string> seen;
  for (const auto& each : named) {
    if (seen.insert(each.name()).second) continue;
    return invalidArgument(fmt::format("two {} are called '{}'", what, each.name()));
  }
  return {};
}

Status checkGraph(const onnx::GraphProto& graph) {
  VTA_RETURN_IF_ERROR(checkNames(graph.input(), "inputs of a graph"));
  VTA_RETURN_IF_ERROR(checkNames(graph.initializer(), "initializers of a graph"));
  for (const onnx::NodeProto& node : graph.node()) {
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      if (attribute.has_g()) VTA_RETURN_IF_ERROR(checkGraph(attribute.g()));
      for (const onnx::GraphProto& inner : attribute.graphs()) {
        VTA_RETURN_IF_ERROR(checkGraph(inner));
      }
    }
  }
  return {};
}

/// "ai.onnx" is another way to write the domain without a name.
std::string domainName(const std::string& written) { return written == "ai.onnx" ? "" : written; }

template <typename Imports>
Status checkImports(const Imports& imports) {
  std::set<std::string> domains;
  for (const onnx::OperatorSetIdProto& opset : imports) {
    if (domains.insert(domainName(opset.domain())).second) continue;
    return invalidArgument(fmt::format("the operator set of domain '{}' is imported twice",
                                       opset.domain().empty() ? "ai.onnx" : opset.domain()));
  }
  return {};
}

}  // namespace

Status checkUniqueNames(const onnx::ModelProto& model) {
  VTA_RETURN_IF_ERROR(checkImports(model.opset_import()));
  std::set<std::tuple<std::string, std::string, std::string>> functions;
  for (const onnx::FunctionProto& function : model.functions()) {
    VTA_RETURN_IF_ERROR(checkImports(function.opset_import()));
    const bool is_new =
        functions.emplace(domainName(function.domain()), function.name(), overloadOf(function))
            .second;
    if (is_new) continue;
    return invalidArgument(fmt::format("two functions of the model are called '{}' in domain '{}'",
                                       function.name(), function.domain()));
  }
  return checkGraph(model.graph());
}

}  // namespace vta::compiler
