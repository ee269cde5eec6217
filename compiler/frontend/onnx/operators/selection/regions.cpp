// RoiAlign, which samples parts of an image, and MaxUnpool, which puts maxima back to their places.
#include <fmt/format.h>

#include "compiler/frontend/onnx/compose.h"
#include "compiler/frontend/onnx/op_table.h"

namespace vta::compiler {
namespace {

using graph::BinaryKind;
using graph::ReduceKind;
using graph::Shape;
using graph::UnaryKind;
using mlir::Value;

struct RoiForm {
  Shape image;                        // [N, C, H, W]
  int64_t regions = 0;                // R
  int64_t outputs[2] = {}, grid = 0;  // rows and columns, samples of each
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
  if (form.outputs[0] < 1 || form.outputs[1] < 1 || form.grid < 0) {
    return invalidArgument("'output_height' and 'output_width' have to be positive");
  }
  if (form.grid == 0) {
    return unsupported(
        "'sampling_ratio' is 0, so that the number of samples depends on data; "
        "export the model with a positive one");
  }
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

/// Samples along rows (`axis` 0) or columns (1).
Samples sample(Composer& c, const RoiForm& form, Value rois, int axis) {
  const mlir::Type i64 = c.node().ir().getI64Type();
  const int64_t extent = form.image[2 + axis], count = form.outputs[axis] * form.grid;
  const auto edge = [&](int64_t column) {
    const Value scaled = c.scale(c.slice(rois, 1, column, column + 1), form.scale);
    return form.offset == 0 ? scaled : c.sub(scaled, c.numberLike(form.offset, scaled));
  };
  const Value start = edge(1 - axis), end = edge(3 - axis);  // x1, y1, x2, y2
  Value size = c.sub(end, start);
  if (form.offset == 0) size = c.max(size, c.numberLike(1, size));
  const Value step = c.scale(size, 1.0 / static_cast<double>(count));
  if (!c.ok()) return {};
  const Value places = c.cast(c.positions(count, 1, 2, i64), graph::elementTypeOf(rois));
  const Value middle = c.add(places, c.numberLike(0.5, places));
  Value at = c.add(start, c.mul(middle, step));
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

Status importRoiAlign(Node& node) {
  Composer c(node);
  const Value image = c.input(0, "X"), rois = c.input(1, "rois");
  const Value batches = c.cast(c.input(2, "batch_indices"), node.ir().getI64Type());
  if (!c.ok()) return c.status();
  VTA_ASSIGN_OR_RETURN(const RoiForm form, readRoiForm(c, image, rois, batches));
  const Samples rows = sample(c, form, rois, 0), columns = sample(c, form, rois, 1);
  const int64_t channels = form.image[1], height = form.image[2], width = form.image[3];
  const Value pixels =
      c.reshape(c.transpose(image, {0, 2, 3, 1}), {form.image[0] * height * width, channels});
  const Value first =
      c.scale(c.reshape(batches, {form.regions, 1, 1}), static_cast<double>(height * width));
  const auto alongRows = [&](Value value) { return c.unsqueeze(value, 2); };
  const auto alongColumns = [&](Value value) { return c.unsqueeze(value, 1); };
  const Value inside = c.unsqueeze(
      c.binary(BinaryKind::logical_and, alongRows(rows.inside), alongColumns(columns.inside)), 3);
  Value result;
  for (const bool is_low_row : {true, false}) {
    for (const bool is_low_column : {true, false}) {
      const auto weight = [&](const Samples& samples, bool is_low) {
        if (!is_low) return samples.fraction;
        return c.sub(c.numberLike(1, samples.fraction), samples.fraction);
      };
      const Value row = alongRows(is_low_row ? rows.low : rows.high);
      const Value column = alongColumns(is_low_column ? columns.low : columns.high);
      const Value place = c.add(first, c.add(c.scale(row, static_cast<double>(width)), column));
      const Value share =
          c.mul(alongRows(weight(rows, is_low_row)), alongColumns(weight(columns, is_low_column)));
      const Value part = c.mul(c.gather(pixels, place, 0), c.unsqueeze(share, 3));
      // The operator takes the largest of the weighted neighbours, not of the samples.
      if (result) result = form.is_max ? c.max(result, part) : c.add(result, part);
      if (!result) result = part;
    }
  }
  result = c.keep(inside, result);
  result = c.reshape(
      result, {form.regions, form.outputs[0], form.grid, form.outputs[1], form.grid, channels});
  result = c.reduce(form.is_max ? ReduceKind::max : ReduceKind::mean, result, {2, 4});
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
