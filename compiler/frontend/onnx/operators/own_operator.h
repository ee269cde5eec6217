// Nodes whose operator a library of the user's defines.
#pragma once

#include "compiler/frontend/onnx/node.h"
#include "module/operators/include/vta/operator.h"

namespace vta::compiler {

/// Imports `node`, whose proto is `proto`, as a call of `own`, which says what its outputs are.
/// Errors: what the library says of the node; attributes that libraries are not given (tensors,
/// graphs, lists of texts).
Status importOwnOperator(Node& node, const onnx::NodeProto& proto, const vta_operator& own);

}  // namespace vta::compiler
