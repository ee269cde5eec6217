// The kernel of a sum of products, in blocks through memory that a workgroup shares.
#pragma once

#include "host_gpu/kernels/gemm/product.h"
#include "host_gpu/kernels/kernel_ir.h"

namespace vta::codegen {

/// The kernel of `product`, whose schedule breaks no rule. No matrix of windows is ever made: an
/// element's place is the sum of what its row, its depth and its batch add to it.
KernelIr buildGemmKernel(mlir::Location location, const Product& product,
                         const GemmSchedule& schedule);

}  // namespace vta::codegen
