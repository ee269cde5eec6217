// From the LLVM dialect to an object file behind module/host_abi.h.
#pragma once

#include <cstddef>
#include <vector>

#include "base/status.h"
#include "llvm/Target/TargetMachine.h"
#include "mlir/IR/BuiltinOps.h"

namespace vta::codegen {

/// Translates `module`, adds the entry points of the host ABI and the code that splits loops,
/// optimises unless told not to, and emits an ELF object.
Result<std::vector<std::byte>> emitObject(mlir::ModuleOp module, llvm::TargetMachine& machine,
                                          bool is_optimized);

}  // namespace vta::codegen
