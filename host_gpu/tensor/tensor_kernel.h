// The kernel of a sum of products on the tensor cores of NVIDIA's GPUs.
#pragma once

#include <vector>

#include "host_gpu/kernels/gemm/product.h"
#include "host_gpu/kernels/kernel_ir.h"

namespace vta::codegen {

/// Schedules of `product` for tensor cores that break no rule, with so many parts of the grid, the
/// fastest first. None: they do not multiply its elements, or its depth is not that long.
std::vector<GemmSchedule> tensorSchedules(const Product& product, int64_t split_grid);

/// The same beside `chosen`, a schedule of any tier for a device of these limits: that device takes
/// it, and others what they would take without it. `chosen` breaks no rule, and hasKernelFor it.
std::vector<GemmSchedule> tensorSchedulesBeside(const Product& product, const GemmSchedule& chosen,
                                                const GpuKernelLimits& limits);

/// Whether there is a kernel of `product` with schedules of `tier` that break no rule.
bool hasKernelFor(const Product& product, GemmTier tier);

/// The kernel of `product`, whose schedule breaks no rule. Its arguments are those of
/// buildGemmKernel, and its integers are the same bit for bit. It has PTX alone.
KernelIr buildTensorKernel(mlir::Location location, const Product& product,
                           const GemmSchedule& schedule);

}  // namespace vta::codegen
