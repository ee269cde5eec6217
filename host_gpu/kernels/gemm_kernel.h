// The kernel of a sum of products, in blocks through memory that a workgroup shares.
#pragma once

#include "host_gpu/kernels/contraction.h"
#include "host_gpu/kernels/kernel_ir.h"
#include "host_gpu/schedule/gemm_schedule.h"

namespace vta::codegen {

/// The product that `contraction` is.
GemmSpec gemmSpecOf(const Contraction& contraction);

/// Whether blocks pay: a product of a few rows or columns has nothing to share.
bool isWorthBlocks(const GemmSpec& spec);

/// The kernel of `contraction`, whose schedule breaks no rule. No matrix of windows is ever made:
/// an element's place is the sum of what its row, its depth and its batch add to it.
KernelIr buildGemmKernel(mlir::Location location, const Contraction& contraction,
                         const InitialSums& initial, const GemmSchedule& schedule);

}  // namespace vta::codegen
