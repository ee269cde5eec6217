// Integer form of products of two activations. docs/quantisation.md, section 6.
#pragma once

#include "compiler/quantize/emit/state.h"

namespace vta::compiler {

/// The int8 result of a node of kind kProduct, on hardware with the extension qmul.
mlir::Value emitProduct(EmitState& state, const QuantNode& node, EmitBuilder& build);

}  // namespace vta::compiler
