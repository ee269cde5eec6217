// The kernel of a sum of products on the tensor cores of NVIDIA's GPUs.
#pragma once

#include <optional>

#include "host_gpu/kernels/gemm/product.h"
#include "host_gpu/kernels/kernel_ir.h"

namespace vta::codegen {

/// The least architecture that it needs.
inline constexpr const char* kTensorArchitecture = "sm_80";

/// A schedule of `product` for tensor cores that breaks no rule, with so many parts of the grid.
/// None: they do not multiply its elements, or its depth is not that long.
std::optional<GemmSchedule> tensorSchedule(const Product& product, int64_t split_grid);

/// The kernel of `product`, whose schedule breaks no rule. Its arguments are those of
/// buildGemmKernel, and its integers are the same bit for bit. It has PTX alone.
KernelIr buildTensorKernel(mlir::Location location, const Product& product,
                           const GemmSchedule& schedule);

}  // namespace vta::codegen
