//===- graph_ops.td - the graph dialect --------------------------------------------------------===//
//
// Networks as ONNX means them, on ranked static tensors, in float and in integers alike: the same ops
// hold the imported float model and the quantised one. See docs/compiler.md for the phases.
//
//===------------------------------------------------------------------------------------------===//

#ifndef VTA_COMPILER_DIALECTS_GRAPH_OPS
#define VTA_COMPILER_DIALECTS_GRAPH_OPS

include "compiler/dialects/graph/ops/contraction_ops.td"
include "compiler/dialects/graph/ops/pooling_ops.td"
include "compiler/dialects/graph/ops/control_ops.td"
include "compiler/dialects/graph/ops/elementwise_ops.td"
include "compiler/dialects/graph/ops/movement_ops.td"
include "compiler/dialects/graph/ops/own_ops.td"
include "compiler/dialects/graph/ops/quantisation_ops.td"
include "compiler/dialects/graph/ops/selection_ops.td"

#endif  // VTA_COMPILER_DIALECTS_GRAPH_OPS
