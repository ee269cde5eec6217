// Code objects of a kernel, for AMD's GPUs.
#pragma once

#include <string>

#include "base/status.h"
#include "compiler/codegen/llvm/object_cache.h"
#include "host_gpu/kernels/kernel_ir.h"

namespace vta::codegen {

/// Errors: kInvalidArgument where LLVM generates no code for `architecture`, with those that it
/// does, "gfx90a" and others.
Status checkAmdArchitecture(const std::string& architecture);

/// `kernel`, legalised (legalise/passes.h), as a code object for `architecture`: a linked ELF file
/// for the runtime ROCr, in the object format of version 5. It has a kernel kKernelFunction, whose
/// argument k is a pointer to global memory, and which takes no hidden arguments. No file of ROCm
/// is read. What LLVM makes is taken from `cache` or kept there. Errors: those of
/// checkAmdArchitecture; an op without a form.
Result<GpuCode> emitAmdCode(const KernelIr& kernel, const std::string& architecture,
                            const ObjectCache& cache = ObjectCache({}));

}  // namespace vta::codegen
