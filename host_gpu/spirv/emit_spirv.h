// SPIR-V of kernels, for Vulkan 1.1 and what it makes optional only where that is said.
#pragma once

#include <cstddef>
#include <vector>

#include "base/status.h"
#include "host_gpu/kernels/kernel_ir.h"

namespace vta::codegen {

/// The words of each of `kernels`, legalised (legalise/passes.h), with the least byte first. Its
/// entry point is kKernelFunction, and argument k is the storage buffer with DescriptorSet 0 and
/// Binding k. Sums and products are contracted where the kernel lets them be
/// (KernelIr::keeps_roundings); elsewhere floats are the same on all devices that round as IEEE 754
/// says. Products of four bytes (spirv.SDot) stay, for devices with kIntegerDotProduct. `kernels`
/// are consumed. Errors: an op without a form in SPIR-V.
Result<std::vector<std::vector<std::byte>>> emitSpirv(mlir::MutableArrayRef<KernelIr> kernels);

/// Whether the code of `kernel` needs kIntegerDotProduct.
bool hasDotProducts(const KernelIr& kernel);

}  // namespace vta::codegen
