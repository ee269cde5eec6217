// From the LLVM dialect to an object file behind module/host_abi.h.
#pragma once

#include <cstddef>
#include <vector>

#include "base/status.h"
#include "compiler/codegen/llvm/object_cache.h"
#include "llvm/Target/TargetMachine.h"
#include "mlir/IR/BuiltinOps.h"

namespace vta::codegen {

/// Translates `module`, adds the entry points of the host ABI and the code that splits loops,
/// optimises unless told not to, and emits an ELF object: or takes the one from `cache` that the
/// same code gave before.
Result<std::vector<std::byte>> emitObject(mlir::ModuleOp module, llvm::TargetMachine& machine,
                                          bool is_optimized, const ObjectCache& cache);

}  // namespace vta::codegen
