// The graph dialect: networks with ONNX semantics. Documentation: graph_ops.td.
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

// Generated code has unused parameters.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "compiler/dialects/graph/graph_dialect.h.inc"
#include "compiler/dialects/graph/graph_enums.h.inc"

#define GET_OP_CLASSES
#include "compiler/dialects/graph/graph_ops.h.inc"
#pragma GCC diagnostic pop

namespace vta::graph {

/// Discardable attributes, for reports, of an op that stands for a layer of another kind: that
/// layer's operator (a string) and its multiply-accumulates (i64).
inline constexpr const char* kOperatorAttr = "graph.operator";
inline constexpr const char* kMacsAttr = "graph.macs";

/// Entries of a graph.table: one for each int8.
inline constexpr int64_t kTableEntries = 256;

}  // namespace vta::graph
