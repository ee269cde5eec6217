// References of kernels: functions that compute the same on the host.
#pragma once

#include "compiler/dialects/vta/vta.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"

namespace vta::compiler {

/// Builds, before all else in a function, the argument as it was from what it has become.
using RebuildArgument =
    llvm::function_ref<mlir::Value(mlir::OpBuilder, mlir::BlockArgument, mlir::RankedTensorType)>;

/// A copy of `old` in `symbols`, with `suffix` to its name, whose argument `index` is of `type`;
/// the body goes on with what `rebuild` makes of it, which is of the type that it had.
mlir::func::FuncOp copyWithArgument(mlir::func::FuncOp old, llvm::StringRef suffix, unsigned index,
                                    mlir::RankedTensorType type, RebuildArgument rebuild,
                                    mlir::SymbolTable& symbols);

/// Erases `reference` from `symbols` if nothing names it.
void eraseIfUnused(mlir::func::FuncOp reference, mlir::SymbolTable& symbols);

/// Gives `op` another reference; `old` goes when it was the last that named it.
void replaceReference(KernelOp op, mlir::func::FuncOp old, mlir::func::FuncOp reference,
                      mlir::SymbolTable& symbols);

}  // namespace vta::compiler
