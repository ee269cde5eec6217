// The shape rule of every graph op: what its result's shape is, and why operands do not fit. The
// verifiers and the ONNX frontend share these functions. Free of MLIR types.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace vta::graph {

using Shape = std::vector<int64_t>;
using ShapeRef = std::span<const int64_t>;

/// "[1, 3, 224, 224]"
std::string shapeText(ShapeRef shape);

/// Number of elements; -1 if an extent is negative or the number does not fit 63 bits.
int64_t elementCount(ShapeRef shape);

/// numpy broadcasting of two shapes.
Result<Shape> broadcastShape(ShapeRef lhs, ShapeRef rhs);

/// Whether `one` has a single pixel for each channel of an image of `all`: [N, C, 1, 1] beside
/// [N, C, H, W].
bool isPixelPerImage(ShapeRef one, ShapeRef all);

/// Windows over the two spatial dimensions of an NCHW tensor.
struct Window {
  ShapeRef kernel, strides;
  ShapeRef pads;  // top, left, bottom, right
  ShapeRef dilations;
};

/// The legality of the window itself, and the result [N, channels, OH, OW].
Result<Shape> windowShape(ShapeRef input, int64_t channels, const Window& window);

/// `window.kernel` is ignored: it comes from the weight. `bias` is empty if there is none.
Result<Shape> convShape(ShapeRef input, ShapeRef weight, ShapeRef bias, Window window,
                        int64_t group);
Result<Shape> convTransposeShape(ShapeRef input, ShapeRef weight, ShapeRef bias, Window window,
                                 ShapeRef output_padding, int64_t group);
Result<Shape> poolShape(ShapeRef input, const Window& window);
Result<Shape> matmulShape(ShapeRef lhs, ShapeRef rhs);
Result<Shape> transposeShape(ShapeRef input, ShapeRef permutation);
Result<Shape> concatShape(std::span<const Shape> inputs, int64_t axis);
Result<Shape> padShape(ShapeRef input, ShapeRef low, ShapeRef high);
Result<Shape> interleaveShape(ShapeRef input, ShapeRef block, int64_t groups, bool repeat);
Result<Shape> gatherShape(ShapeRef input, ShapeRef indices, int64_t axis);
/// `axes` are not negative and strictly increasing.
Result<Shape> reduceShape(ShapeRef input, ShapeRef axes, bool keep_dims);

/// Whether `result` is a legal result of slicing `input`.
Status checkSlice(ShapeRef input, ShapeRef starts, ShapeRef steps, ShapeRef result);

/// Whether `axis` is in [0, rank).
Status checkAxis(int64_t axis, size_t rank);

}  // namespace vta::graph
