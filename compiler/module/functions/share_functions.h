// Equal host functions become one, so that repeated layers are compiled once.
#pragma once

#include <string>

#include "mlir/IR/BuiltinOps.h"

namespace vta::compiler {

/// Lets calls and kernels name one of each set of functions that do the same, and
/// removes the others. Locations do not count.
void shareFunctions(mlir::ModuleOp module);

/// Puts `prefix` in front of the names of all functions but main, and of what names them.
void prefixFunctions(mlir::ModuleOp module, const std::string& prefix);

}  // namespace vta::compiler
