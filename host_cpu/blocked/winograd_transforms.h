// Winograd's transforms as straight code over vectors.
#pragma once

#include "host_cpu/blocked/emit.h"
#include "host_cpu/schedule/winograd.h"

namespace vta::codegen::blocked {

/// Vectors by rows.
using Square = llvm::SmallVector<llvm::SmallVector<mlir::Value>>;

/// input * pixels * transposed input
Square transformInput(Builder& b, const CpuTraits& traits, const WinogradTransform& transform,
                      const Square& pixels);
/// output * sums * transposed output
Square transformOutput(Builder& b, const CpuTraits& traits, const WinogradTransform& transform,
                       const Square& sums);

}  // namespace vta::codegen::blocked
