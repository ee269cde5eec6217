// Functions that GPUs lack or compute with too few digits, as arithmetic of 32 bits. What
// gpu-expand-math does before MLIR's own patterns.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace vta::codegen {

/// math.asin and math.acos of f32: some units in the last place from the C library's.
void expandArcs(mlir::ModuleOp module);

/// arith.remf of f32: exactly fmodf, as remainders of integers.
void expandRemainders(mlir::ModuleOp module);

/// math.ipowi: by squaring, with the bits of MLIR's conversion for CPUs.
void expandIntegerPowers(mlir::ModuleOp module);

/// The low 32 bits or fewer of an f32 that was converted to 64 bits: without 64 bits.
void expandLargeConversions(mlir::ModuleOp module);

}  // namespace vta::codegen
