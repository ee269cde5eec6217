// Matrix products of two activations, such as those of attention. docs/quantisation.md.
#pragma once

#include "compiler/quantize/emit/builder.h"
#include "compiler/quantize/emit/state.h"

namespace vta::compiler {

/// The int8 result of a node of kind kMatMulPair. The ops in between have one batch dimension:
/// [G, M, K] x [G, K, N], then an addition of [G, 1, N] where the first operand has a zero point.
mlir::Value emitMatMulPair(EmitState& state, const QuantNode& node, EmitBuilder& build);

}  // namespace vta::compiler
