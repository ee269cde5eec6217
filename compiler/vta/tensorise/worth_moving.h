// Whether a kernel between host operations is worth the way of its data.
#pragma once

#include <string>

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace vta::compiler {

/// The operands of `call` that are activations, packed: the others are constants. `group` is the
/// function of the group that it calls the reference of.
llvm::SmallVector<mlir::Value> activationsOf(mlir::func::CallOp call, mlir::func::FuncOp group);

/// Why the host should run what `call`, of a function with the attributes of an offloaded group,
/// computes; empty if the VTA should. That is so where the VTA had the data before, the host has
/// computed something of it since, gets the result back, and moving activations and result, and
/// the launch, cost more than the host's products (compiler/codegen/costs.h). Weights are
/// constants, which lie in the VTA's memory before the first run: for one row both machines read
/// each of them once.
std::string notWorthMoving(mlir::func::CallOp call, mlir::func::FuncOp group);

}  // namespace vta::compiler
