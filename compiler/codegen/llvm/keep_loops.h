// Which loops LLVM may not unroll.
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

namespace vta::codegen {

/// Marks the innermost loops of `module` that LLVM would unroll before it vectorises, although they
/// are long. The loop around such a loop would be vectorised instead, with a strided access for
/// each iteration of the inner one: a transpose of 64 x 32 elements took 12 s and 650 MB.
void keepLongLoops(llvm::Module& module, llvm::FunctionAnalysisManager& analyses);

}  // namespace vta::codegen
