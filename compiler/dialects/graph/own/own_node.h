// Operators of the user's libraries in the graph, and as libraries see them.
#pragma once

#include "compiler/dialects/graph/graph.h"
#include "module/operators/operator_node.h"

namespace vta::graph {

/// What the library of `op` gets to know of it, but for its elements.
OperatorNode ownNode(OwnOp op);

/// The op of `node` behind `builder`, at `location`. `inputs` are those that are present.
OwnOp createOwn(mlir::OpBuilder& builder, mlir::Location location, const OperatorNode& node,
                mlir::ValueRange inputs);

}  // namespace vta::graph
