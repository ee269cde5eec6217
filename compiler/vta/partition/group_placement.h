// Where a group's results are stored other than side by side: interleaved, cropped or extended.
#pragma once

#include "compiler/vta/partition/group.h"
#include "mlir/IR/Operation.h"

namespace vta::compiler {

/// The operation that gives outputs their places: graph.interleave, a crop or a pad; null if `root`
/// does not end in one.
mlir::Operation* placementBehind(mlir::Operation* root);

/// How the outputs of the group that ends in `root` are stored; `placement` is placementBehind's.
GroupInterleave placesOf(mlir::Operation* placement, mlir::Operation* root);

}  // namespace vta::compiler
