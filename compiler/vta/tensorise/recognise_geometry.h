// Kernel geometry from the subscripts of a recognised operation.
#pragma once

#include <optional>

#include "compiler/kernel/desc/kernel_desc.h"
#include "compiler/vta/tensorise/intrinsics.h"

namespace vta::compiler {

/// Element-wise kernels: only extents.
Status readLanesGeometry(mlir::RankedTensorType input, mlir::RankedTensorType output,
                         kernel::Geometry& geometry);

/// `op` has been matched with the GEMM intrinsic: reads groups, window and padding. Returns the
/// unpadded input.
Result<mlir::Value> readContraction(mlir::linalg::GenericOp op, const IntrinsicMatch& match,
                                    kernel::Geometry& geometry);

/// `op` is a window reduction, in place, of `input` or its sign extension. Padding is 0 or the
/// least byte, or, if one is given, `neutral`, which leaves the geometry's pad kind as it is.
/// Returns the unpadded input.
Result<mlir::Value> readWindow(mlir::linalg::GenericOp op, const IntrinsicMatch& match,
                               mlir::Value input, kernel::Geometry& geometry,
                               std::optional<int64_t> neutral = std::nullopt);

/// Strips off `stored` what brings outputs to their places in an interleaved image: a crop of rows
/// and columns or a selection that goes beyond them, and the generic with interleaveMap behind a
/// collapse of its dimensions. Returns the computed output; `stored` itself if there is neither.
Result<mlir::Value> readInterleave(mlir::Value stored, kernel::Geometry& geometry);

}  // namespace vta::compiler
