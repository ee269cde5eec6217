// What reshapes and transposes do to the order of elements.
#pragma once

#include "mlir/IR/Value.h"

namespace vta::graph {

/// True when `to`, which reshapes and transposes alone make of `from`, has the elements of `from`
/// in the same row-major order. False also where a reshape joins what cannot be told apart again.
bool keepsOrder(mlir::Value from, mlir::Value to);

}  // namespace vta::graph
