// Integer forms of average pools, sums of two activations and lone clips. docs/quantisation.md,
// sections 4 to 6.
#pragma once

#include "compiler/quantize/emit/state.h"

namespace vta::compiler {

/// The int8 result of a node of kind kAvgPool, kAdd or kClip.
mlir::Value emitAveragePool(EmitState& state, const QuantNode& node, EmitBuilder& build);
mlir::Value emitSum(EmitState& state, const QuantNode& node, EmitBuilder& build);
mlir::Value emitClip(EmitState& state, const QuantNode& node, EmitBuilder& build);

}  // namespace vta::compiler
