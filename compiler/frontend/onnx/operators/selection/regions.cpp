// RoiAlign, which samples parts of an image, and MaxUnpool, which puts maxima back to their places.
#include <fmt/format.h>

#include <limits>

#include "compiler/frontend/onnx/compose.h"
#include "compiler/frontend/onnx/op_table.h"
#include "compiler/frontend/onnx/operators/control/graphs_inside.h"

namespace vta::compiler {
namespace {

using graph::BinaryKind;
using graph::ReduceKind;
using graph::Shape;
using graph::UnaryKind;
using mlir::Value;

struct RoiForm {
  Shape image;          // [N, C, H, W]
  int64_t regions = 0;  // R
  int64_t outputs[2] = {},
          grid = 0;  // rows and columns, samples of each; 0: as the region is large
  double scale = 1, offset = 0;
  bool is_max = false;
};

/// Where samples along one axis lie, for each region: two neighbours and the weight of the second
/// one; [R, S], S samples. Samples outside of the image have no weight.
struct Samples {
  Value low, high, fraction, inside;
};

Result<RoiForm> readRoiForm(Composer& c, Value image, Value rois, Value batches) {
  Node& node = c.node();
  RoiForm form;
  form.image = c.shape(image);
  const Shape regions = c.shape(rois);
  if (!c.ok()) return c.status();
  const bool fits = form.image.size() == 4 && regions.size() == 2 && regions[1] == 4 &&
                    c.shape(batches) == Shape{regions[0]};
  if (!fits) return invalidArgument("expects an image of rank 4, regions [R, 4] and batches [R]");
  form.regions = regions[0];
  form.outputs[0] = node.integer("output_height", 1);
  form.outputs[1] = node.integer("output_width", 1);
  form.grid = node.integer("sampling_ratio", 0);
  form.scale = node.number("spatial_scale", 1);
  constexpr int64_t kMost = 1 << 16;
  for (const int64_t count : {form.outputs[0], form.outputs[1], form.grid + 1}) {
    if (count >= 1 && count <= kMost) continue;
    return invalidArgument(
        "'output_height' and 'output_width' have to be positive, 'sampling_ratio' not negative, "
        "and all below 65536");
  }
  if (form.regions == 0) form.grid = 1;  // there is nothing to sample
  const std::string mode = node.text("mode", "avg");
  if (mode != "avg" && mode != "max") {
    return invalidArgument(fmt::format("mode '{}' is unknown", mode));
  }
  form.is_max = mode == "max";
  const std::string pixels = node.text("coordinate_transformation_mode",
                                       node.opset() < 16 ? "output_half_pixel" : "half_pixel");
  if (pixels != "half_pixel" && pixels != "output_half_pixel") {
    return invalidArgument(fmt::format("coordinate_transformation_mode '{}' is unknown", pixels));
  }
  form.offset = pixels == "half_pixel" ? 0.5 : 0;
  return form;
}

/// Regions along rows (`axis` 0) or columns (1), [R, 1].
struct Span {
  Value start, size;
};

Span spanOf(Composer& c, const RoiForm& form, Value rois, int axis) {
  const auto edge = [&](int64_t column) {
    const Value scaled = c.scale(c.slice(rois, 1, column, column + 1), form.scale);
    return form.offset == 0 ? scaled : c.sub(scaled, c.numberLike(form.offset, scaled));
  };
  const Value start = edge(1 - axis), end = edge(3 - axis);  // x1, y1, x2, y2
  const Value size = c.sub(end, start);
  return {start, form.offset == 0 ? c.max(size, c.numberLike(1, size)) : size};
}

/// Samples at `at`, [R, S].
Samples samplesAt(Composer& c, const RoiForm& form, Value at, int axis) {
  const mlir::Type i64 = c.node().ir().getI64Type();
  const int64_t extent = form.image[2 + axis];
  const Value last = c.numberLike(static_cast<double>(extent), at);
  const Value inside = c.binary(BinaryKind::logical_and,
                                c.binary(BinaryKind::greater_equal, at, c.numberLike(-1, at)),
                                c.binary(BinaryKind::less_equal, at, last));
  at = c.max(at, c.numberLike(0, at));
  at = c.min(at, c.numberLike(static_cast<double>(extent - 1), at));
  const Value whole = c.unary(UnaryKind::floor, at);
  const Value low = c.cast(whole, i64);
  const Value high =
      c.min(c.add(low, c.numberLike(1, low)), c.numberLike(static_cast<double>(extent - 1), low));
  return {low, high, c.sub(at, whole), inside};
}

/// 0, 1, 2 ... of `value`'s element type, [1, count].
Value countedLike(Composer& c, int64_t count, Value value) {
  const Value places = c.positions(count, 1, 2, c.node().ir().getI64Type());
  return c.ok() ? c.cast(places, graph::elementTypeOf(value)) : Value();
}

/// The image as rows of channels, and where each region's image starts among them.
struct Pixels {
  Value rows, first;
};

Pixels pixelsOfRegions(Composer& c, const RoiForm& form, Value image, Value batches) {
  const auto area = static_cast<double>(form.image[2] * form.image[3]);
  return {c.reshape(c.transpose(image, {0, 2, 3, 1}),
                    {form.image[0] * form.image[2] * form.image[3], form.image[1]}),
          c.scale(c.reshape(batches, {form.regions, 1, 1}), area)};
}

/// The values of samples, [R, rows, columns, C]; 0 outside of the image.
Value valuesOf(Composer& c, const RoiForm& form, const Pixels& pixels, const Samples& rows,
               const Samples& columns) {
  const auto along_rows = [&](Value value) { return c.unsqueeze(value, 2); };
  const auto along_columns = [&](Value value) { return c.unsqueeze(value, 1); };
  const auto weight = [&](const Samples& samples, bool is_low) {
    if (!is_low) return samples.fraction;
    return c.sub(c.numberLike(1, samples.fraction), samples.fraction);
  };
  Value result;
  for (const bool is_low_row : {true, false}) {
    for (const bool is_low_column : {true, false}) {
      const Value row = along_rows(is_low_row ? rows.low : rows.high);
      const Value column = along_columns(is_low_column ? columns.low : columns.high);
      const Value place =
          c.add(pixels.first, c.add(c.scale(row, static_cast<double>(form.image[3])), column));
      const Value share = c.mul(along_rows(weight(rows, is_low_row)),
                                along_columns(weight(columns, is_low_column)));
      const Value part = c.mul(c.gather(pixels.rows, place, 0), c.unsqueeze(share, 3));
      // The operator takes the largest of the weighted neighbours, not of the samples.
      if (result) result = form.is_max ? c.max(result, part) : c.add(result, part);
      if (!result) result = part;
    }
  }
  const Value inside =
      c.binary(BinaryKind::logical_and, along_rows(rows.inside), along_columns(columns.inside));
  return c.keep(c.unsqueeze(inside, 3), result);
}

/// Equally many samples for all regions.
Value poolEvenly(Composer& c, const RoiForm& form, const Pixels& pixels, Value rois) {
  Samples samples[2];
  for (const int axis : {0, 1}) {
    const Span span = spanOf(c, form, rois, axis);
    const int64_t count = form.outputs[axis] * form.grid;
    const Value step = c.scale(span.size, 1.0 / static_cast<double>(count));
    const Value places = countedLike(c, count, step);
    const Value middle = c.add(places, c.numberLike(0.5, places));
    samples[axis] = samplesAt(c, form, c.add(span.start, c.mul(middle, step)), axis);
  }
  const Value values = c.reshape(
      valuesOf(c, form, pixels, samples[0], samples[1]),
      {form.regions, form.outputs[0], form.grid, form.outputs[1], form.grid, form.image[1]});
  return c.reduce(form.is_max ? ReduceKind::max : ReduceKind::mean, values, {2, 4});
}

/// An axis along which regions have samples of their own number, about one for every pixel.
struct AdaptiveAxis {
  Span span;
  Value bin;          // the part of a region that an output stands for, [R, 1]
  Value grid, count;  // how many samples it has, [R, 1], as a float and as an integer
  Value most;         // of all regions, 0-D
};

AdaptiveAxis adaptiveAxis(Composer& c, const RoiForm& form, Value rois, int axis) {
  AdaptiveAxis result;
  result.span = spanOf(c, form, rois, axis);
  result.bin = c.scale(result.span.size, 1.0 / static_cast<double>(form.outputs[axis]));
  result.grid = c.unary(UnaryKind::ceil, result.bin);
  result.count = c.cast(result.grid, c.node().ir().getI64Type());
  result.most =
      c.max(c.reduce(ReduceKind::max, result.count, {0, 1}), c.numberLike(0, result.count));
  return result;
}

/// Sample `number` (0-D) of every output; those that a region does not have are not used.
Samples adaptiveSamples(Composer& c, const RoiForm& form, const AdaptiveAxis& along, Value number,
                        int axis) {
  const Value places = countedLike(c, form.outputs[axis], along.bin);
  const Value part =
      c.div(c.add(c.cast(number, graph::elementTypeOf(along.bin)), c.numberLike(0.5, along.bin)),
            along.grid);
  const Value at = c.add(along.span.start, c.mul(c.add(places, part), along.bin));
  return samplesAt(c, form, at, axis);
}

/// A loop looks at one sample of all outputs after the other, as many as the largest region has.
Value poolAdaptively(Composer& c, const RoiForm& form, const Pixels& pixels, Value rois) {
  Node& node = c.node();
  const AdaptiveAxis rows = adaptiveAxis(c, form, rois, 0);
  const AdaptiveAxis columns = adaptiveAxis(c, form, rois, 1);
  const Shape shape = {form.regions, form.outputs[0], form.outputs[1], form.image[1]};
  const double least = form.is_max ? -std::numeric_limits<double>::infinity() : 0;
  LoopParts loop;
  loop.most = c.mul(rows.most, columns.most);
  loop.condition = c.number(1, node.ir().getI1Type());
  if (!c.ok()) return {};
  loop.states = {c.filled(shape, least, graph::elementTypeOf(pixels.rows))};
  if (!c.ok()) return {};
  loop.body = &node.newBlock();
  const mlir::Location loc = node.build().location();
  const Value iteration = loop.body->addArgument(loop.most.getType(), loc);
  const Value total = loop.body->addArgument(loop.states[0].getType(), loc);
  {
    const mlir::OpBuilder::InsertionGuard guard(node.ir());
    node.ir().setInsertionPointToEnd(loop.body);
    const Value row = c.div(iteration, columns.most);
    const Value column = c.binary(BinaryKind::mod, iteration, columns.most);
    const Value values = valuesOf(c, form, pixels, adaptiveSamples(c, form, rows, row, 0),
                                  adaptiveSamples(c, form, columns, column, 1));
    const Value is_used = c.reshape(
        c.binary(BinaryKind::logical_and, c.less(row, rows.count), c.less(column, columns.count)),
        {form.regions, 1, 1, 1});
    const Value next = form.is_max ? c.max(total, values) : c.add(total, values);
    loop.next_states = {c.where(is_used, next, total)};
    loop.next_condition = c.number(1, node.ir().getI1Type());
  }
  if (!c.ok()) return {};
  const Value sum = createLoop(node, loop)[1];
  // A region without an extent has no sample, and gives 0.
  const Value zero = c.numberLike(0, rows.count);
  const Value count = c.reshape(c.mul(c.max(rows.count, zero), c.max(columns.count, zero)),
                                {form.regions, 1, 1, 1});
  if (form.is_max) return c.keep(c.less(zero, count), sum);
  const Value divisor = c.max(count, c.numberLike(1, count));
  return c.ok() ? c.div(sum, c.cast(divisor, graph::elementTypeOf(sum))) : Value();
}

Status importRoiAlign(Node& node) {
  Composer c(node);
  const Value image = c.input(0, "X"), rois = c.input(1, "rois");
  const Value batches = c.cast(c.input(2, "batch_indices"), node.ir().getI64Type());
  if (!c.ok()) return c.status();
  VTA_ASSIGN_OR_RETURN(const RoiForm form, readRoiForm(c, image, rois, batches));
  const Pixels pixels = pixelsOfRegions(c, form, image, batches);
  const Value result =
      form.grid == 0 ? poolAdaptively(c, form, pixels, rois) : poolEvenly(c, form, pixels, rois);
  return c.finish(c.transpose(result, {0, 3, 1, 2}));
}

/// The extents of what was pooled.
Result<Shape> unpooledShape(Node& node, const Shape& input) {
  const size_t spatial = input.size() - 2;
  const Shape kernel = node.integerList("kernel_shape").value_or(Shape());
  const Shape strides = node.integerList("strides").value_or(Shape(spatial, 1));
  const Shape pads = node.integerList("pads").value_or(Shape(2 * spatial, 0));
  if (kernel.size() != spatial || strides.size() != spatial || pads.size() != 2 * spatial) {
    return invalidArgument("'kernel_shape', 'strides' and 'pads' do not fit the input");
  }
  Shape shape = {input[0], input[1]};
  for (size_t i = 0; i < spatial; ++i) {
    shape.push_back((input[i + 2] - 1) * strides[i] + kernel[i] - pads[i] - pads[spatial + i]);
  }
  return shape;
}

/// Indices count in the tensor that was pooled, whose shape the attributes give; a larger output
/// has zeros behind it.
Status importMaxUnpool(Node& node) {
  Composer c(node);
  const Value input = c.input(0, "X");
  const Value indices = c.cast(c.input(1, "I"), node.ir().getI64Type());
  if (!c.ok()) return c.status();
  const Shape from = c.shape(input);
  if (from.size() < 3 || c.shape(indices) != from) {
    return invalidArgument("expects an input of rank 3 or more, and indices of its shape");
  }
  VTA_ASSIGN_OR_RETURN(const Shape shape, unpooledShape(node, from));
  const int64_t total = graph::elementCount(shape), count = graph::elementCount(from);
  if (total < 1) {
    return invalidArgument("its result would have the shape " + graph::shapeText(shape));
  }
  const Value zeros = c.filled({total, 1}, 0, graph::elementTypeOf(input));
  const Value places = c.reshape(indices, {count}), values = c.reshape(input, {count, 1});
  if (!c.ok()) return c.status();
  const Value filled = c.take(node.build().scatter(zeros, places, values, std::nullopt));
  const Value result = c.reshape(filled, shape);
  if (!node.hasInput(2)) return c.finish(result);
  VTA_ASSIGN_OR_RETURN(Shape behind, node.integers(2, "output_shape"));
  const Shape wanted = behind;
  if (wanted.size() != shape.size()) return invalidArgument("'output_shape' has another rank");
  for (size_t i = 0; i < shape.size(); ++i) {
    behind[i] -= shape[i];
    if (behind[i] >= 0) continue;
    return invalidArgument(fmt::format("'output_shape' {} is smaller than {}",
                                       graph::shapeText(wanted), graph::shapeText(shape)));
  }
  return c.finish(c.pad(result, Shape(shape.size(), 0), behind));
}

}  // namespace

std::span<const OpEntry> regionOps() {
  static constexpr OpEntry kOps[] = {
      {"MaxUnpool", 9, kLatest, importMaxUnpool},
      {"RoiAlign", 10, kLatest, importRoiAlign},
  };
  return kOps;
}

}  // namespace vta::compiler
