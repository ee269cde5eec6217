// Compiled graphs in models: nodes of the operator EPContext.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "api/ort/graph.h"
#include "api/ort/options.h"

namespace vta::ort {

/// A compiled graph that is to be kept.
struct KeptGraph {
  std::string name;  ///< of its node
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::string module;  ///< the bytes of its module
};

/// Whether the node's graph was compiled by this provider.
bool isOurContext(const Ort& ort, const Node& node);

/// A node that holds the module, or the name of a file beside the model in which it writes the
/// module. `model` is the original model's file. The caller owns the node. Throws api::Error when
/// the file cannot be written.
OrtNode* makeContext(const Ort& ort, const KeptGraph& graph, const ContextOptions& options,
                     const std::filesystem::path& model);

/// The module of a node that makeContext has made. `model` is the file of the model that holds it.
/// Throws api::Error when the file is missing, or another version of the SDK has made it.
api::Module loadContext(const Ort& ort, const Node& node, const std::filesystem::path& model);

}  // namespace vta::ort
