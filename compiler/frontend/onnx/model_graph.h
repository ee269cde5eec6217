// The nodes of an ONNX graph in the order of their dependences.
#pragma once

#include <vector>

#include "base/status.h"
#include "onnx/onnx_pb.h"

namespace vta::compiler {

/// The nodes that the graph's outputs need, producers first, otherwise in the file's order. Errors:
/// a cycle (naming its nodes), a value that nothing defines (all of them), a value defined twice.
Result<std::vector<const onnx::NodeProto*>> sortNodes(const onnx::GraphProto& graph);

}  // namespace vta::compiler
