// Operations that compute nothing.
#pragma once

#include "mlir/IR/Operation.h"

namespace vta::compiler {

/// True for operations that only move or reinterpret elements, packing included.
bool isDataMovement(mlir::Operation* op);

/// True when only the host has touched `value` so far: model inputs, quantised and moved about.
bool comesFromHost(mlir::Value value);

}  // namespace vta::compiler
