// The meaning of every op of the graph dialect, as linalg, tensor, arith and math on tensors.
//
// This is the reference that everything else in the compiler is measured against: the CPU backend
// compiles it, and kernels for the accelerator are proved equal to it.
#pragma once

#include <memory>

#include "mlir/Pass/Pass.h"
#include "mlir/Support/LogicalResult.h"

namespace vta::compiler {

/// Rewrites every graph op in `root` (a module or one function). Unsigned element types become
/// signless, in signatures too. Contractions become the named linalg convolutions and matmuls over
/// explicitly padded inputs, initialised with the broadcast bias or zero; i8 contractions extend
/// both operands by sign and accumulate in i32. Fails with a diagnostic at the op that has no
/// lowering.
mlir::LogicalResult convertGraphToLinalg(mlir::Operation* root);

/// What code calls with an index outside of what it selects from, and the extent of that: a
/// declaration (i64, i64) -> (). The attribute of the call says which node the index is of.
inline constexpr const char* kBadIndexFunction = "vta.bad_index";
inline constexpr const char* kBadIndexNodeAttr = "vta.node";

/// What code calls in place of a library's operator, with buffers of its inputs and results:
/// declarations with this prefix. The attribute of the call has the bytes of an OperatorNode.
inline constexpr const char* kOwnOperatorPrefix = "vta.own_operator.";
inline constexpr const char* kOwnNodeAttr = "vta.own_node";

// The same as a pass: `convert-graph-to-linalg` (passes.td).
#define GEN_PASS_DECL
#include "compiler/codegen/graph_to_linalg/passes.h.inc"

}  // namespace vta::compiler
