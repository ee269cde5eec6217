// Integer form of convolutions and matrix products with their bias, residual and clip.
// docs/quantisation.md, sections 4 to 6.
#pragma once

#include <vector>

#include "compiler/quantize/common/report.h"
#include "compiler/quantize/emit/state.h"

namespace vta::compiler {

/// The int8 result of a node of kind kConv or kMatMul. A layer of a quantised model whose weights
/// could not keep their scales is added to `rescaled`.
mlir::Value emitContraction(EmitState& state, const QuantNode& node, EmitBuilder& build,
                            std::vector<RescaledWeights>& rescaled);

}  // namespace vta::compiler
