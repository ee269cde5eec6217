// Long runs of host operations are cut into functions where little stands between two of them.
#pragma once

#include <cstddef>

#include "llvm/ADT/ArrayRef.h"
#include "mlir/IR/Operation.h"

namespace vta::compiler {

/// How many of `ops`, which are in the order of execution, the first function takes: all of them up
/// to `limit`, else from limit / 2 to limit. There the cut goes in front of a contraction, so that
/// a layer stays with the operations behind it, and where the fewest bytes are still needed; the
/// later of equal places. `limit` is at least 1.
size_t lengthOfFirstFunction(llvm::ArrayRef<mlir::Operation*> ops, size_t limit);

}  // namespace vta::compiler
