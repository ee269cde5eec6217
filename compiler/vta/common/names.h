// Names for reports: which layer an operation belongs to and what it is called.
#pragma once

#include <string>

#include "mlir/IR/Operation.h"

namespace vta::compiler {

/// The ONNX node's name from the location, or "" if it has none.
std::string layerName(mlir::Operation* op);

/// The operator's name as ONNX spells it: "Conv", "MaxPool", "Add".
std::string operatorName(mlir::Operation* op);

/// True for operations that only move or reinterpret elements.
bool isDataMovement(mlir::Operation* op);

/// Why data movement is on the host, if nothing more is known.
inline constexpr const char* kMovementReason = "data movement";

}  // namespace vta::compiler
