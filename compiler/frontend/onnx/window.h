// The attributes that convolutions and pools share, brought to two spatial dimensions.
#pragma once

#include "compiler/frontend/onnx/node.h"

namespace vta::compiler {

/// Owns what graph::Window refers to.
struct SpatialWindow {
  graph::Shape kernel, strides, pads, dilations;
  graph::Window view() const { return {kernel, strides, pads, dilations}; }
};

/// Reads strides, pads, dilations and auto_pad of a node whose input has the spatial extents
/// `extents` (one or two; a one-dimensional window gets height 1). `kernel` is as long as
/// `extents`.
Result<SpatialWindow> readWindow(Node& node, graph::ShapeRef extents, graph::Shape kernel);

/// The same for a transposed convolution of an input with `spatial` dimensions, which `extents` are
/// after readWindow: gives `window` the pads that output_shape or auto_pad ask for. Returns
/// output_padding, which is also what an output has beyond the reach of the kernel.
Result<graph::Shape> readTransposedWindow(Node& node, graph::ShapeRef extents, size_t spatial,
                                          SpatialWindow& window);

/// The attribute `name` with one value per spatial dimension, all `otherwise` if absent.
Result<graph::Shape> spatialList(Node& node, std::string_view name, size_t rank, int64_t otherwise);

/// [N, C, W] as [N, C, 1, W]; four dimensions stay; other ranks are unsupported.
Result<mlir::Value> toRank4(Node& node, mlir::Value value);
/// [N, C, 1, W] back to `rank` dimensions.
Result<mlir::Value> fromRank4(Node& node, Result<mlir::Value> value, size_t rank);

}  // namespace vta::compiler
