// The rewrites of vta_rewrite_first_layer.cpp.
#pragma once

#include <cstdint>

#include "compiler/dialects/graph/graph.h"

namespace vta::compiler {

enum class FirstLayerForm : uint8_t { kAsIs, kSpaceToDepth, kWindowRows, kWholeWindows };

/// The form with the fewest GEMM steps per output block on a core with `block_in` input lanes; the
/// first of equals in the order above.
FirstLayerForm chooseFirstLayerForm(int64_t channels, int64_t kernel_height, int64_t kernel_width,
                                    int64_t stride_y, int64_t stride_x, int64_t block_in);

/// Replaces an ungrouped, undilated i8 convolution with constant weights by its best form. The new
/// one keeps the layer's MACs in `vta.macs`. Does nothing when it is best as it is.
void rewriteFirstLayer(graph::ConvOp op, int64_t block_in);

}  // namespace vta::compiler
