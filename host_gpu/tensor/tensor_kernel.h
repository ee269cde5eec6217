// The kernel of a sum of products on the tensor cores of NVIDIA's GPUs.
#pragma once

#include <vector>

#include "host_gpu/kernels/gemm/product.h"
#include "host_gpu/kernels/kernel_ir.h"

namespace vta::codegen {

/// The least architecture that it needs; the only one that multiplies by four warps together.
inline constexpr const char* kTensorArchitecture = "sm_80";
inline constexpr const char* kGroupArchitecture = "sm_90a";

/// Schedules of `product` for tensor cores that break no rule, with so many parts of the grid, the
/// fastest first. None: they do not multiply its elements, or its depth is not that long.
std::vector<GemmSchedule> tensorSchedules(const Product& product, int64_t split_grid);

/// The kernel of `product`, whose schedule breaks no rule. Its arguments are those of
/// buildGemmKernel, and its integers are the same bit for bit. It has PTX alone.
KernelIr buildTensorKernel(mlir::Location location, const Product& product,
                           const GemmSchedule& schedule);

}  // namespace vta::codegen
