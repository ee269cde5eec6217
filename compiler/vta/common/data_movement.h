// Operations that compute nothing.
#pragma once

#include "mlir/IR/Operation.h"

namespace vta::compiler {

/// True for operations that only move or reinterpret elements, packing included.
bool isDataMovement(mlir::Operation* op);

}  // namespace vta::compiler
