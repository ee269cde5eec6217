// In which order the nodes of a graph are imported, and which of them.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "onnx/onnx_pb.h"

namespace vta::compiler {

/// The names that a node reads: its inputs, and what its subgraphs read from around them.
std::vector<std::string_view> namesRead(const onnx::NodeProto& node);

/// The nodes that the graph's outputs need, producers first, otherwise in the file's order.
/// `is_outer` says which names graphs around it define. Errors: a cycle (naming its nodes), a value
/// that nothing defines (all of them), a value defined twice.
Result<std::vector<const onnx::NodeProto*>> sortNodes(
    const onnx::GraphProto& graph, const std::function<bool(std::string_view)>& is_outer);

}  // namespace vta::compiler
