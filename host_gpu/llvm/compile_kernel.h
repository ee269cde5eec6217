// A kernel's code by one of LLVM's targets for GPUs.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "llvm/ADT/SmallVector.h"
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

/// An assembly text or an object file of `code`, which is consumed. Sums and products of floats
/// whose operations both have the flag `contract` are rounded once, all others one by one. Errors:
/// a call of a function that nobody has.
Result<llvm::SmallVector<char, 0>> compileKernel(llvm::Module& code, const GpuMachine& machine);

}  // namespace vta::codegen
