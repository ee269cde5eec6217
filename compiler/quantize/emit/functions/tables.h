// Element-wise functions of one int8 activation as tables.
#pragma once

#include "compiler/quantize/emit/builder.h"
#include "compiler/quantize/emit/state.h"

namespace vta::compiler {

/// A kTable node as the ALU computes it, or as a table. Either gives the same integers: for each
/// int8 of the source, it is dequantised, the float ops are applied in f32 one after the other,
/// values that a quantised model rounds are rounded, and the result is quantised, all as
/// graph.dequantize and graph.quantize say. There is one table for the tensor, or one per channel
/// where a constant varies along them.
mlir::Value emitTable(EmitState& state, const QuantNode& node, EmitBuilder& build);

}  // namespace vta::compiler
