// From LLVM IR to PTX.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "host_gpu/llvm/compile_kernel.h"
#include "llvm/IR/Module.h"

namespace vta::codegen {

/// The oldest architecture that NVIDIA's assembler of today has. Its text runs on all later ones; a
/// text for sm_80 differs from it in the maxima of floats alone.
inline constexpr const char* kPtxArchitecture = "sm_75";

/// What compileKernel makes an assembly text of, for `architecture`. Errors: a call of a function
/// that nobody has.
Result<KernelBitcode> ptxBitcode(llvm::Module& code, std::string_view architecture);

/// The text as programs keep it: without comments and empty lines, which are a tenth of it.
std::string keptPtx(std::string_view text);

}  // namespace vta::codegen
