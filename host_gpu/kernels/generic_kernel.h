// The kernel of what has none of its own: any linalg ops on buffers, with an invocation for each
// element of their results, or for a few neighbouring ones.
#pragma once

#include "host_gpu/kernels/kernel_ir.h"
#include "host_gpu/kernels/op_group.h"

namespace vta::codegen {

/// The kernel of `group`, whose buffers have static shapes and strides; the ops stay as they are.
/// Errors, as diagnostics: an operand that is neither a buffer nor a constant, more elements than
/// 32 bits count.
mlir::FailureOr<KernelIr> buildGenericKernel(const OpGroup& group);

}  // namespace vta::codegen
