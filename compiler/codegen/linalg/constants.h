// Constants leave the code: they become arguments of the functions that use them.
#pragma once

#include "base/tensor.h"
#include "compiler/codegen/backend.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace vta::codegen {

/// Adds an argument to `function` that receives `tensor`; returns it. `type` has as many bytes.
mlir::Value addConstantArgument(mlir::func::FuncOp function, mlir::RankedTensorType type,
                                Tensor tensor, FunctionConstants& constants);

}  // namespace vta::codegen
