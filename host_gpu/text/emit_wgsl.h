// WGSL of a kernel, for WebGPU.
#pragma once

#include <string>

#include "base/status.h"
#include "host_gpu/kernels/kernel_ir.h"

namespace vta::codegen {

/// The text of `kernel`, legalised (legalise/passes.h), which stays as it is. Its entry point is
/// called kKernelFunction; argument k is the storage buffer with group 0 and binding k, which may
/// be read and written, because WebGPU lets a dispatch write to one range and read another of the
/// same buffer only so. It needs no optional feature of WebGPU. WGSL cannot say that sums and
/// products are rounded one by one. Errors: an op without a form in WGSL.
Result<std::string> emitWgsl(const KernelIr& kernel);

}  // namespace vta::codegen
