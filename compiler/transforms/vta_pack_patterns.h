// Packing moved through and cancelled with what stands between two kernels.
#pragma once

#include "mlir/IR/PatternMatch.h"

namespace vta::compiler {

/// pack(unpack), also across reshapes of 1x1 images, spatial pads, and concatenations whose parts
/// fill whole blocks.
void populatePackPatterns(mlir::RewritePatternSet& patterns);

}  // namespace vta::compiler
