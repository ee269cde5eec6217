// What an operator makes of tensors of which a part is valid.
#pragma once

#include <optional>

#include "compiler/frontend/onnx/node.h"

namespace vta::compiler {

/// Which part of the node's outputs will be valid, because a part of its inputs is; nothing if all
/// of them will, or if the operator's import says it itself. Inputs whose invalid entries would
/// count are replaced. Error: the operator mixes entries, so that invalid ones would reach valid
/// results.
Result<std::optional<RowCount>> rowsOfOutputs(Node& node);

}  // namespace vta::compiler
