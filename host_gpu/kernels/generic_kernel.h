// The kernel of what has none of its own: any linalg op on buffers, with one invocation for each
// element of its result.
#pragma once

#include "host_gpu/kernels/kernel_ir.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace vta::codegen {

/// The kernel of `op`, whose buffers have static shapes and strides; `op` stays as it is. Errors,
/// as diagnostics: an operand that is neither a buffer nor a constant, more elements than 32 bits
/// count.
mlir::FailureOr<KernelIr> buildGenericKernel(mlir::linalg::LinalgOp op);

}  // namespace vta::codegen
