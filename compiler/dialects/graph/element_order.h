// What reshapes and transposes do to the order of elements.
#pragma once

#include <cstdint>

#include "llvm/ADT/ArrayRef.h"
#include "mlir/IR/Value.h"

namespace vta::graph {

/// A loop over elements that lie `stride` apart in a tensor in row-major order.
struct ElementLoop {
  int64_t extent = 1, stride = 1;
};

/// True when `to`, which reshapes and transposes alone make of `from`, has the elements of `from`
/// in the order in which `loops` walk over `from`, the outermost first. False also where a reshape
/// joins what cannot be told apart again.
bool hasOrder(mlir::Value from, mlir::Value to, llvm::ArrayRef<ElementLoop> loops);

/// True when `to`, which reshapes and transposes alone make of `from`, has the elements of `from`
/// in the same row-major order. False also where a reshape joins what cannot be told apart again.
bool keepsOrder(mlir::Value from, mlir::Value to);

}  // namespace vta::graph
