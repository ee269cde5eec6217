// From the LLVM dialect to object files behind module/host_abi.h.
#pragma once

#include <cstddef>
#include <vector>

#include "base/status.h"
#include "compiler/codegen/llvm/object_cache.h"
#include "compiler/codegen/options.h"
#include "llvm/Target/TargetMachine.h"
#include "mlir/IR/BuiltinOps.h"

namespace vta::codegen {

/// The names of functions begin so that say all that the function computes.
inline constexpr const char* kSharedFunctionPrefix = "kernel.";

/// Translates `module`, adds the entry points of the host ABI and the code that splits loops,
/// optimises unless told not to, and emits ELF objects: or takes those from `cache` that the same
/// code gave before. Functions are divided among several objects, which are compiled side by side;
/// how depends on `module` alone, so the objects are the same on every machine. Of `options` the
/// quality and the progress count.
Result<std::vector<std::vector<std::byte>>> emitObjects(mlir::ModuleOp module,
                                                        llvm::TargetMachine& machine,
                                                        const CodeOptions& options,
                                                        const ObjectCache& cache);

}  // namespace vta::codegen
