// Float networks onto blocked kernels.
#pragma once

#include "compiler/codegen/backend.h"
#include "host_cpu/blocked/kernels.h"

namespace vta::codegen::blocked {

/// Replaces the float convolutions of `function`, dense layers with constant weights, and what lies
/// between them, by calls of blocked kernels. Values stay blocked from one such op to the next;
/// biases, residual additions and activations become part of the convolution before them. Constants
/// that the kernels need are added to the function's arguments. Other ops stay as they are.
///
/// The function's first argument is the host context.
void blockFloats(mlir::func::FuncOp function, KernelLibrary& kernels, FunctionConstants& constants);

}  // namespace vta::codegen::blocked
