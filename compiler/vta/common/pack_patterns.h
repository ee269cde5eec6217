// Packing moved through and cancelled with what stands between two kernels.
#pragma once

#include "mlir/IR/PatternMatch.h"

namespace vta::compiler {

/// pack(unpack), also across reshapes of 1x1 images and across concatenations, pads, slices and
/// space-to-depth that move whole blocks.
void populatePackPatterns(mlir::RewritePatternSet& patterns);

}  // namespace vta::compiler
