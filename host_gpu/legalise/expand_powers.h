// Powers of floats as exponentials of logarithms.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace vta::codegen {

/// Rewrites all math.powf of f32 as arithmetic and math.exp, math.log, math.floor and math.absf.
/// The exponent's rounding makes a result off by about 2^-24 times the magnitude of its logarithm.
void expandPowers(mlir::ModuleOp module);

}  // namespace vta::codegen
