// What the layers are that host functions compute.
#pragma once

#include <map>
#include <string>

#include "mlir/IR/BuiltinOps.h"
#include "module/module_info.h"

namespace vta::compiler {

/// By function, and by the names that its ops have as their locations.
using LayersByFunction = std::map<std::string, std::map<std::string, LayerPartInfo>>;

/// Of all public functions of `module`, with those that they call. An operator that multiplies
/// names its layer; else the first one does.
LayersByFunction layersOf(mlir::ModuleOp module);

}  // namespace vta::compiler
