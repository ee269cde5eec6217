// Loop nests as functions of their own. Private to the folder.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Operation.h"

namespace vta::codegen {

struct OutlinedLoop {
  mlir::func::FuncOp function;              // private, in front of the loop's function
  mlir::Operation* loop = nullptr;          // the copy in its body
  llvm::SmallVector<mlir::Value> captured;  // what its first arguments stand for
};

/// Makes a function `name` with a copy of `loop`, which stays. Its arguments are `leading`, what
/// else the loop uses from outside, and `more`. Buffers that cannot alias say so.
OutlinedLoop copyToFunction(mlir::Operation* loop, llvm::StringRef name,
                            llvm::ArrayRef<mlir::Value> leading, llvm::ArrayRef<mlir::Type> more);

}  // namespace vta::codegen
