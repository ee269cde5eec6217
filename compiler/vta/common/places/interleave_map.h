// Where interleaved outputs are stored, for those who write the reference and those who read it.
#pragma once

#include "compiler/kernel/desc/kernel_desc.h"
#include "mlir/IR/AffineMap.h"

namespace vta::compiler {

/// Which element of the computed output [N, O, H, W, b, lane] is stored at (n, o, y, row, x,
/// column, b, lane): what Geometry's interleave_y, interleave_x and phases mean.
mlir::AffineMap interleaveMap(const kernel::Geometry& geometry, mlir::MLIRContext* context);

}  // namespace vta::compiler
