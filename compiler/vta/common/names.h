// Names for reports: which layer an operation belongs to and what it is called.
#pragma once

#include <string>

#include "mlir/IR/Operation.h"

namespace vta::compiler {

/// The ONNX node's name from the location, or "" if it has none.
std::string layerName(mlir::Operation* op);

/// The operator's name as ONNX spells it: "Conv", "MaxPool", "Add".
std::string operatorName(mlir::Operation* op);

}  // namespace vta::compiler
