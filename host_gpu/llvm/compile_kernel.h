// A kernel's code by one of LLVM's targets for GPUs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/codegen/llvm/object_cache.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CodeGen.h"

namespace vta::codegen {

/// What LLVM generates code for. The target is registered with LLVM.
struct GpuMachine {
  const char* triple;
  std::string cpu;
  const char* features;  // beside those of the CPU
  llvm::CodeGenFileType type;
};

/// A kernel between MLIR and its code. It belongs to no context, so that kernels can be compiled
/// beside each other.
struct KernelBitcode {
  std::string bitcode;
  GpuMachine machine;
};

/// Errors: a call of a function that nobody has.
Result<KernelBitcode> kernelBitcode(llvm::Module& code, const GpuMachine& machine);

/// An assembly text or an object file. It comes from `cache` if the same bitcode was compiled
/// before; else it is made and added there. A product and the sum behind it are rounded once if
/// both operations have the flag `contract`; all others are rounded one by one. May be called from
/// several threads.
Result<std::vector<std::byte>> compileKernel(const KernelBitcode& kernel, const ObjectCache& cache);

}  // namespace vta::codegen
