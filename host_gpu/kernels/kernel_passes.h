// Passes on kernels.
#pragma once

#include <string_view>

#include "base/status.h"
#include "host_gpu/kernels/kernel_ir.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir {
class OpPassManager;
}

namespace vta::codegen {

/// Runs the pipeline that `build` makes on the modules of all `kernels`, as one pass manager does:
/// beside each other where the context has threads. Errors: those of passes, which could not
/// `what`.
Status runOnKernels(mlir::MutableArrayRef<KernelIr> kernels, std::string_view what,
                    llvm::function_ref<void(mlir::OpPassManager&)> build);

}  // namespace vta::codegen
