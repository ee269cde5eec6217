// From LLVM IR to PTX.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "llvm/IR/Module.h"

namespace vta::codegen {

/// The oldest architecture that NVIDIA's assembler of today has. Its text runs on all later ones; a
/// text for sm_80 differs from it in the maxima of floats alone.
inline constexpr const char* kPtxArchitecture = "sm_75";

/// The text of `code` for `architecture`. Sums of products whose operations both have the flag
/// `contract` are rounded once, all others one by one. `code` is consumed. Errors: a call of a
/// function that nobody has.
Result<std::string> printPtx(llvm::Module& code, std::string_view architecture);

}  // namespace vta::codegen
