// PTX of a kernel, for NVIDIA's GPUs.
#pragma once

#include <span>
#include <vector>

#include "base/status.h"
#include "compiler/codegen/llvm/object_cache.h"
#include "host_gpu/kernels/kernel_ir.h"

namespace vta::codegen {

/// The text of `kernel`, legalised (legalise/passes.h), for all GPUs from its architecture on; if
/// it needs none, from kPtxArchitecture (ptx_text.h) on. Its entry point is kKernelFunction, and
/// argument k is a pointer. Sums and products are contracted where the kernel lets them be
/// (KernelIr::keeps_roundings). No file of CUDA is read. Errors: an op without a form in PTX.
Result<GpuCode> emitPtx(const KernelIr& kernel);

/// The same of all `kernels`, which LLVM compiles beside each other, or which are in `cache`.
Result<std::vector<GpuCode>> emitPtx(std::span<const KernelIr* const> kernels,
                                     const ObjectCache& cache);

}  // namespace vta::codegen
