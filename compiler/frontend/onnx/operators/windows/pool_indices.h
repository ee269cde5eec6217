// The second output of MaxPool: where the largest elements are.
#pragma once

#include "compiler/frontend/onnx/compose.h"
#include "compiler/frontend/onnx/window.h"

namespace vta::compiler {

/// For each window of `input` [N, C, ...], the position of its first largest element among all
/// elements of `input`, in i64. `window` has as many dimensions as are behind the channels.
/// `column_major`: the first of these dimensions varies fastest in positions, else the last one.
mlir::Value maxPoolIndices(Composer& c, mlir::Value input, const SpatialWindow& window,
                           bool column_major);

}  // namespace vta::compiler
