#include "compiler/frontend/onnx/operators/volume.h"

#include <fmt/format.h>

#include "compiler/frontend/onnx/window.h"

namespace vta::compiler {
namespace {

using graph::Shape;
using graph::ShapeRef;
using mlir::Value;

/// The part of a window over [D, H, W] that is over [H, W].
struct PlaneWindow {
  Shape kernel, strides, pads, dilations;
  graph::Window view() const { return {kernel, strides, pads, dilations}; }
};

PlaneWindow planeOf(const SpatialWindow& w) {
  return {{w.kernel[1], w.kernel[2]},
          {w.strides[1], w.strides[2]},
          {w.pads[1], w.pads[2], w.pads[4], w.pads[5]},
          {w.dilations[1], w.dilations[2]}};
}

/// A kernel, its window and the tensors' shapes.
struct Volume {
  SpatialWindow window;
  Shape input, weight;
};

constexpr int64_t kMostTaps = 1024;

Result<Volume> readVolume(Node& node, Value input, Value weight) {
  Volume volume;
  const ShapeRef shape = graph::shapeOf(input), kernel = graph::shapeOf(weight);
  if (shape.size() != 5 || kernel.size() != 5) {
    return invalidArgument("the input and the weight differ in rank");
  }
  if (kernel[2] > kMostTaps) {
    return unsupported(
        fmt::format("a kernel {} deep is deeper than the supported {}", kernel[2], kMostTaps));
  }
  volume.input.assign(shape.begin(), shape.end());
  volume.weight.assign(kernel.begin(), kernel.end());
  VTA_ASSIGN_OR_RETURN(volume.window,
                       readWindow(node, shape.subspan(2), Shape(kernel.begin() + 2, kernel.end())));
  return volume;
}

/// Elements start, start + step ... of dimension 2 of five, `count` of them.
Value strided(Composer& c, Value input, int64_t start, int64_t step, int64_t count) {
  Shape extents = c.shape(input), starts(5, 0), steps(5, 1);
  if (!c.ok()) return {};
  starts[2] = start;
  steps[2] = step;
  extents[2] = count;
  return c.take(c.node().build().slice(input, starts, steps, extents));
}

}  // namespace

Result<Value> volumeConvolution(Node& node, Value input, Value weight, Value bias) {
  VTA_ASSIGN_OR_RETURN(const Volume v, readVolume(node, input, weight));
  const SpatialWindow& w = v.window;
  const int64_t n = v.input[0], channels = v.input[1], taps = w.kernel[0];
  const int64_t reach = (taps - 1) * w.dilations[0] + 1;
  const int64_t span = v.input[2] + w.pads[0] + w.pads[3] - reach;
  if (span < 0) return invalidArgument("the kernel is deeper than the padded input");
  const int64_t depth = span / w.strides[0] + 1;
  Composer c(node);
  Value padded = c.pad(input, {0, 0, w.pads[0], 0, 0}, {0, 0, w.pads[3], 0, 0});
  std::vector<Value> slices;
  for (int64_t k = 0; k < taps; ++k) {
    slices.push_back(c.unsqueeze(strided(c, padded, k * w.dilations[0], w.strides[0], depth), 2));
  }
  // [N, C, KD, OD, H, W] as images [N OD, C KD, H, W].
  Value images = c.transpose(c.concat(slices, 2), {0, 3, 1, 2, 4, 5});
  images = c.reshape(images, {n * depth, channels * taps, v.input[3], v.input[4]});
  Value kernel = c.reshape(weight, {v.weight[0], v.weight[1] * taps, v.weight[3], v.weight[4]});
  if (!c.ok()) return c.status();
  Value output =
      c.take(node.build().conv(images, kernel, bias, planeOf(w).view(), node.integer("group", 1)));
  const Shape shape = c.shape(output);
  if (!c.ok()) return c.status();
  output = c.reshape(output, {n, depth, shape[1], shape[2], shape[3]});
  output = c.transpose(output, {0, 2, 1, 3, 4});
  return c.ok() ? Result<Value>(output) : c.status();
}

Result<Value> transposedVolumeConvolution(Node& node, Value input, Value weight, Value bias) {
  VTA_ASSIGN_OR_RETURN(Volume v, readVolume(node, input, weight));
  SpatialWindow& w = v.window;
  const ShapeRef extents = ShapeRef(v.input).subspan(2);
  VTA_ASSIGN_OR_RETURN(const Shape extra, readTransposedWindow(node, extents, 3, w));
  const int64_t n = v.input[0], in_depth = v.input[2], taps = w.kernel[0];
  const int64_t stride = w.strides[0], dilation = w.dilations[0];
  Composer c(node);
  Value images = c.reshape(c.transpose(input, {0, 2, 1, 3, 4}),
                           {n * in_depth, v.input[1], v.input[3], v.input[4]});
  Value kernel = c.reshape(weight, {v.weight[0], v.weight[1] * taps, v.weight[3], v.weight[4]});
  if (!c.ok()) return c.status();
  const Shape plane_extra = {extra[1], extra[2]};
  Value planes = c.take(node.build().convTranspose(images, kernel, {}, planeOf(w).view(),
                                                   plane_extra, node.integer("group", 1)));
  const Shape shape = c.shape(planes);
  if (!c.ok()) return c.status();
  const int64_t channels = shape[1] / taps, rows = shape[2], columns = shape[3];
  // [N, D, O, KD, H, W] to [KD, N, O, D, H, W].
  planes = c.transpose(c.reshape(planes, {n, in_depth, channels, taps, rows, columns}),
                       {3, 0, 2, 1, 4, 5});
  // Depth d of tap k goes to d * stride + k * dilation.
  const int64_t full = (in_depth - 1) * stride + (taps - 1) * dilation + 1 + extra[0];
  Value sum;
  for (int64_t k = 0; k < taps; ++k) {
    Value part = c.squeeze(c.slice(planes, 0, k, k + 1), 0);
    const Shape apart = {n, channels, in_depth, 1, rows, columns};
    part = c.pad(c.reshape(part, apart), Shape(6, 0), {0, 0, 0, stride - 1, 0, 0});
    part = c.reshape(part, {n, channels, in_depth * stride, rows, columns});
    const int64_t before = k * dilation, after = full - before - in_depth * stride;
    part = c.pad(part, {0, 0, before, 0, 0}, {0, 0, after, 0, 0});
    sum = sum ? c.add(sum, part) : part;
  }
  sum = c.pad(sum, {0, 0, -w.pads[0], 0, 0}, {0, 0, -w.pads[3], 0, 0});
  if (bias) sum = c.add(sum, c.reshape(bias, {channels, 1, 1, 1}));
  return c.ok() ? Result<Value>(sum) : c.status();
}

Result<Value> volumePool(Node& node, Value input, const VolumeWindow& w, const ImagePool& pool) {
  const ShapeRef shape = graph::shapeOf(input);
  const int64_t n = shape[0], channels = shape[1], depth = shape[2];
  Composer c(node);
  const PlaneWindow plane = {{w.kernel[1], w.kernel[2]},
                             {w.strides[1], w.strides[2]},
                             {w.pads[1], w.pads[2], w.pads[4], w.pads[5]},
                             {w.dilations[1], w.dilations[2]}};
  Value images = c.reshape(input, {n, channels * depth, shape[3], shape[4]});
  if (!c.ok()) return c.status();
  VTA_ASSIGN_OR_RETURN(images, pool(images, plane.view(), Shape{w.ceil_extra[1], w.ceil_extra[2]}));
  const int64_t rows = graph::shapeOf(images)[2], columns = graph::shapeOf(images)[3];
  const PlaneWindow line = {
      {w.kernel[0], 1}, {w.strides[0], 1}, {w.pads[0], 0, w.pads[3], 0}, {w.dilations[0], 1}};
  Value lines = c.reshape(images, {n, channels, depth, rows * columns});
  if (!c.ok()) return c.status();
  VTA_ASSIGN_OR_RETURN(lines, pool(lines, line.view(), Shape{w.ceil_extra[0], 0}));
  lines = c.reshape(lines, {n, channels, graph::shapeOf(lines)[2], rows, columns});
  return c.ok() ? Result<Value>(lines) : c.status();
}

}  // namespace vta::compiler
