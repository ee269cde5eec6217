// The execution provider of one session of ONNX Runtime.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/ort/compiled_graph.h"
#include "api/ort/graph.h"
#include "api/ort/options.h"

namespace vta::ort {

/// Takes the nodes that the compiler can compile, compiles them as few large graphs and runs these.
class Provider final : public OrtEp {
 public:
  /// `logger` is the session's and outlives the provider.
  Provider(const Ort& ort, Options options, const OrtLogger* logger);

 private:
  OrtStatus* guardedCapability(const OrtGraph* graph, OrtEpGraphSupportInfo* support);
  void takeNodes(const Graph& graph, OrtEpGraphSupportInfo* support);
  void warnAboutShapes(const Graph& graph) const;
  void warnAboutRefused(const Graph& graph, const std::vector<std::string>& reasons) const;
  std::vector<std::string> reasonsAgainst(const Graph& graph) const;
  void offer(const Graph& graph, const std::vector<size_t>& nodes, bool drops_constants,
             OrtEpGraphSupportInfo* support) const;

  /// Compiles the graph of one node, or loads what was compiled before. `context`: the node that
  /// keeps it, where the session writes such a model.
  std::unique_ptr<CompiledGraph> prepare(const Graph& graph, const OrtNode* fused,
                                         OrtNode** context);
  /// The bytes of the module.
  std::string compile(const Graph& graph) const;
  std::vector<std::string> argumentsFor(const Graph& graph) const;
  /// What programs of the module run on; the graphs of a session share it.
  api::Session openSession(const api::Module& module);

  Ort ort_;
  Options options_;
  const OrtLogger* logger_;
  std::set<std::string> model_inputs_;  ///< of the session's model
  std::optional<api::Device> device_;
};

}  // namespace vta::ort
