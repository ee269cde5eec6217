// Operators of the user's libraries become calls with buffers.
#pragma once

#include "mlir/IR/Operation.h"

namespace vta::compiler::graph_to_linalg {

/// Replaces every graph.own in `root`. Its inputs and results lie in buffers; those without an
/// element are left out of the call.
void lowerOwnOperators(mlir::Operation* root);

}  // namespace vta::compiler::graph_to_linalg
