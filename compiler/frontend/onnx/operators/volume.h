// Layers with three spatial dimensions, [N, C, D, H, W], as layers with two.
#pragma once

#include <functional>

#include "compiler/frontend/onnx/compose.h"

namespace vta::compiler {

/// The depth of the kernel becomes channels, the depth of the output a part of the batch: one
/// convolution with two spatial dimensions, which multiplies as often.
Result<mlir::Value> volumeConvolution(Node& node, mlir::Value input, mlir::Value weight,
                                      mlir::Value bias);

/// One transposed convolution with two spatial dimensions, whose results overlap along the depth.
Result<mlir::Value> transposedVolumeConvolution(Node& node, mlir::Value input, mlir::Value weight,
                                                mlir::Value bias);

/// Pooling of rows and columns, then of the depth. `pool` gives the pooling of an image
/// [N, C, H, W] by a window.
using ImagePool = std::function<Result<mlir::Value>(mlir::Value image, const graph::Window& window,
                                                    graph::ShapeRef ceil_extra)>;
/// The window of a volume: kernel, strides, pads and dilations of three dimensions, and how far
/// ceil_mode extended the end pads.
struct VolumeWindow {
  graph::Shape kernel, strides, pads, dilations, ceil_extra;
};
Result<mlir::Value> volumePool(Node& node, mlir::Value input, const VolumeWindow& window,
                               const ImagePool& pool);

}  // namespace vta::compiler
