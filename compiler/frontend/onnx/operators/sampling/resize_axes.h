// The extents and scales of Resize and Upsample.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "compiler/dialects/graph/shapes.h"
#include "compiler/frontend/onnx/node.h"

namespace vta::compiler {

/// The coordinate transformation that resizes a part of the input.
inline constexpr std::string_view kCropAndResize = "tf_crop_and_resize";

/// How one dimension is resized.
struct ResizeAxis {
  int64_t in = 0, out = 0;
  double scale = 1;
  double crop_start = 0, crop_end = 1;  // of the input's extent, for kCropAndResize
};

/// One scale for each dimension.
Result<std::vector<ResizeAxis>> axesOfScales(graph::ShapeRef shape,
                                             const std::vector<double>& scales);

/// What a node Resize wants of an input of `shape`: its scales or sizes, of all dimensions or of
/// those in `axes`.
Result<std::vector<ResizeAxis>> resizeAxes(Node& node, graph::ShapeRef shape);

/// Start and end of the part of every dimension, from input `roi`.
Status readCrop(Node& node, std::vector<ResizeAxis>& axes);

}  // namespace vta::compiler
