// Equal host functions become one, so that repeated layers are compiled once.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace vta::compiler {

/// Lets calls and kernels name one of each set of functions that do the same, and
/// removes the others. Locations do not count.
void shareFunctions(mlir::ModuleOp module);

}  // namespace vta::compiler
