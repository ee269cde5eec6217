// From linalg on packed tensors to a kernel description, by proof.
#pragma once

#include "compiler/kernel/desc/kernel_desc.h"
#include "compiler/vta/tensorise/intrinsics.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace vta::compiler {

/// Reads `function`, whose arguments are a kernel's operands in vta.kernel's order, as one kernel:
/// a contraction proved to be the GEMM intrinsic, a window reduction proved to be an ALU intrinsic,
/// or sign-extended input, then a chain of ALU intrinsics, then the store. Geometry comes from the
/// subscripts. The error says what could not be proved.
Result<kernel::KernelDesc> recogniseKernel(mlir::func::FuncOp function, IntrinsicSet& intrinsics);

}  // namespace vta::compiler
