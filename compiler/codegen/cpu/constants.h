// Constants leave the code: they become arguments of the functions that use them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/tensor.h"
#include "compiler/dialects/graph/element_type.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace vta::host {

/// By function, the tensors that it takes after its inputs.
using FunctionConstants = std::map<std::string, std::vector<Tensor>>;

using graph::dtypeOf;
using graph::tensorOf;

/// Adds an argument to `function` that receives `tensor`; returns it. `type` has as many bytes.
mlir::Value addConstantArgument(mlir::func::FuncOp function, mlir::RankedTensorType type,
                                Tensor tensor, FunctionConstants& constants);

/// Turns every tensor constant of more than 256 bytes into an argument. Equal constants share one.
mlir::LogicalResult hoistConstants(mlir::func::FuncOp function, FunctionConstants& constants);

}  // namespace vta::host
