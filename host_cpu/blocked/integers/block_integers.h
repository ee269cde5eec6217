// Networks in integers onto blocked kernels.
#pragma once

#include "compiler/codegen/backend.h"
#include "host_cpu/blocked/kernels.h"

namespace vta::codegen::blocked {

/// Replaces the int8 convolutions of `function` and its dense layers with constant weights, with
/// all that makes int8 of their sums, by calls of blocked kernels; likewise what lies between them.
/// Everything else stays as it is. Otherwise as blockFloats.
void blockIntegers(mlir::func::FuncOp function, KernelLibrary& kernels,
                   FunctionConstants& constants);

}  // namespace vta::codegen::blocked
