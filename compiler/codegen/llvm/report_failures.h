// How generated code reports what it cannot do: through `fail` of module/host_abi.h.
#pragma once

#include "llvm/IR/Module.h"

namespace vta::codegen {

/// Makes calls of kFailIndexFunction calls of the context's `fail`. Code behind an allocation looks
/// whether there was memory; where not, its function reports that, frees what it has and returns.
/// The first argument of a function that allocates or reports is the host context.
void reportFailures(llvm::Module& module);

}  // namespace vta::codegen
