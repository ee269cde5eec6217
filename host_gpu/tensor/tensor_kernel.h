// The kernel of a sum of products on the tensor cores of NVIDIA's GPUs.
#pragma once

#include <vector>

#include "host_gpu/kernels/gemm/product.h"
#include "host_gpu/kernels/kernel_ir.h"

namespace vta::codegen {

/// Schedules of `product` for tensor cores that break no rule, with so many parts of the grid, the
/// fastest first. None: they do not multiply its elements, or its depth is not that long.
std::vector<GemmSchedule> tensorSchedules(const Product& product, int64_t split_grid);

/// Schedules for tensor cores of a program in which devices of these limits take `chosen`, a
/// schedule of any tier. Other devices take what they would take without it. `chosen` breaks no
/// rule, and the product has a kernel for its tier (hasKernelFor).
std::vector<GemmSchedule> tensorSchedulesBeside(const Product& product, const GemmSchedule& chosen,
                                                const GpuKernelLimits& limits);

/// Whether there is a kernel of `product` with schedules of `tier` that break no rule.
bool hasKernelFor(const Product& product, GemmTier tier);

/// The kernel of `product`, whose schedule breaks no rule. Its arguments are those of
/// buildGemmKernel, and its integers are the same bit for bit. It has PTX alone.
KernelIr buildTensorKernel(mlir::Location location, const Product& product,
                           const GemmSchedule& schedule);

}  // namespace vta::codegen
