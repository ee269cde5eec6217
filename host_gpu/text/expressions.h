// What ops of a legalised kernel compute, as expressions of OpenCL C.
#pragma once

#include <string>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "mlir/IR/Operation.h"

namespace vta::codegen {

/// The name of a value in the text.
using NameOf = llvm::function_ref<std::string(mlir::Value)>;

/// The type of a value in the text; empty if it has none.
std::string openClType(mlir::Type type);

/// What result `number` of `op` is; empty if there is no form for it.
std::string openClExpression(mlir::Operation* op, unsigned number, NameOf name);

}  // namespace vta::codegen
