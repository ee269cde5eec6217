// Ops with graphs inside become structured control flow on buffers.
#pragma once

#include "mlir/IR/Operation.h"

namespace vta::compiler::graph_to_linalg {

/// Replaces every graph.if and graph.loop in `root`. What they carry lies in buffers, which are
/// written when an iteration ends; the graphs inside stay graphs, on tensors.
void lowerControlFlow(mlir::Operation* root);

}  // namespace vta::compiler::graph_to_linalg
