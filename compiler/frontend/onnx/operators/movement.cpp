// Operators that move elements: Transpose, Concat, Split, Pad, CenterCropPad, DepthToSpace,
// SpaceToDepth.
#include <fmt/format.h>

#include <numeric>

#include "compiler/frontend/onnx/op_table.h"
#include "compiler/frontend/onnx/rows/concat.h"

namespace vta::compiler {
namespace {

using graph::Shape;
using graph::ShapeRef;
using mlir::Value;

Status importTranspose(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "data"));
  size_t rank = graph::shapeOf(input).size();
  Shape reversed(rank);
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  return node.finish(node.build().transpose(input, node.integerList("perm").value_or(reversed)));
}

Status importConcat(Node& node) {
  VTA_ASSIGN_OR_RETURN(std::vector<Value> inputs, node.allInputs());
  VTA_ASSIGN_OR_RETURN(
      int64_t axis, normalizeAxis(node.integer("axis", 1), std::ssize(graph::shapeOf(inputs[0]))));
  Composer c(node);
  if (std::ranges::any_of(inputs, [&](Value input) { return node.rowCount(input) != nullptr; })) {
    return concatCounted(c, inputs, axis);
  }
  return c.finish(c.concat(inputs, axis));
}

/// The extents of the parts: given, or as equal as can be (the last one smaller).
Result<Shape> splitExtents(Node& node, int64_t extent) {
  Shape parts;
  if (node.opset() < 13 && !(node.opset() == 1 && node.hasInput(1))) {
    parts = node.integerList("split").value_or(Shape());
  } else if (node.hasInput(1)) {
    VTA_ASSIGN_OR_RETURN(parts, node.integers(1, "split"));
  }
  if (!parts.empty()) return parts;
  int64_t count = 0;
  while (node.isOutputUsed(count)) ++count;
  count = node.integer("num_outputs", count);
  if (count <= 0) return invalidArgument("has no outputs");
  int64_t part = (extent + count - 1) / count;
  for (int64_t start = 0; start < extent; start += part) {
    parts.push_back(std::min(part, extent - start));
  }
  return parts;
}

Status importSplit(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "input"));
  ShapeRef shape = graph::shapeOf(input);
  VTA_ASSIGN_OR_RETURN(int64_t axis, normalizeAxis(node.integer("axis", 0), std::ssize(shape)));
  VTA_ASSIGN_OR_RETURN(Shape parts, splitExtents(node, shape[axis]));
  if (std::accumulate(parts.begin(), parts.end(), int64_t{0}) != shape[axis]) {
    return invalidArgument(fmt::format("parts {} do not add up to dimension {} of {}",
                                       graph::shapeText(parts), axis, graph::shapeText(shape)));
  }
  Shape starts(shape.size(), 0), extents(shape.begin(), shape.end());
  const Shape steps(shape.size(), 1);
  for (size_t i = 0; i < parts.size(); ++i) {
    extents[axis] = parts[i];
    VTA_ASSIGN_OR_RETURN(Value part, node.build().slice(input, starts, steps, extents));
    node.setOutput(i, part);
    starts[axis] += parts[i];
  }
  return {};
}

struct Pads {
  Shape low, high;
  double value = 0;
};

/// Attributes before opset 11; inputs since, with axes since 18.
Result<Pads> readPads(Node& node, int64_t rank) {
  Shape listed, axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  Pads pads{Shape(rank, 0), Shape(rank, 0), 0};
  if (node.opset() < 11) {
    const char* name = node.opset() < 2 ? "paddings" : "pads";
    listed = node.integerList(name).value_or(Shape());
    pads.value = node.number("value", 0);
  } else {
    VTA_ASSIGN_OR_RETURN(listed, node.integers(1, "pads"));
    if (node.hasInput(2)) {
      VTA_ASSIGN_OR_RETURN(std::vector<double> values, node.numbers(2, "constant_value"));
      if (values.size() > 1) return invalidArgument("'constant_value' is not a scalar");
      pads.value = values.empty() ? 0 : values[0];
    }
    if (node.hasInput(3)) {
      VTA_ASSIGN_OR_RETURN(axes, node.integers(3, "axes"));
    }
  }
  if (listed.size() != 2 * axes.size()) {
    return invalidArgument(fmt::format("expects {} pads, got {}", 2 * axes.size(), listed.size()));
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    VTA_ASSIGN_OR_RETURN(int64_t axis, normalizeAxis(axes[i], rank));
    pads.low[axis] = listed[i];
    pads.high[axis] = listed[axes.size() + i];
  }
  return pads;
}

Status importPad(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "data"));
  std::string mode_name = node.text("mode", "constant");
  std::optional<graph::PadMode> mode = graph::symbolizePadMode(mode_name);
  if (!mode) return invalidArgument(fmt::format("mode '{}' is unknown", mode_name));
  VTA_ASSIGN_OR_RETURN(Pads pads, readPads(node, std::ssize(graph::shapeOf(input))));
  return node.finish(node.build().pad(input, pads.low, pads.high, *mode, pads.value));
}

/// Every axis is cropped or padded to an extent, alike at both ends; where that is odd, the end
/// loses or gets one more.
Status importCenterCropPad(Node& node) {
  Composer c(node);
  const Value input = c.input(0, "input_data");
  const Shape wanted = c.integers(1, "shape");
  if (!c.ok()) return c.status();
  const Shape shape = c.shape(input);
  Shape axes(shape.size());
  std::iota(axes.begin(), axes.end(), 0);
  axes = node.integerList("axes").value_or(axes);
  if (axes.size() != wanted.size()) {
    return invalidArgument(
        fmt::format("'shape' has {} extents for {} axes", wanted.size(), axes.size()));
  }
  Shape low(shape.size(), 0), high(shape.size(), 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t axis = c.axis(axes[i], std::ssize(shape));
    if (!c.ok()) return c.status();
    if (wanted[i] < 1) {
      return invalidArgument(
          fmt::format("'shape' {} has an extent that is not positive", graph::shapeText(wanted)));
    }
    const int64_t grows = wanted[i] - shape[axis];
    low[axis] = grows / 2;
    high[axis] = grows - low[axis];
  }
  return c.finish(c.pad(input, low, high));
}

struct Blocks {
  Value input;
  int64_t batch, channels, rows, columns, block;
};

Result<Blocks> readBlocks(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "input"));
  ShapeRef shape = graph::shapeOf(input);
  int64_t block = node.integer("blocksize", 0);
  if (shape.size() != 4) return invalidArgument("expects an input of rank 4");
  if (block <= 0) return invalidArgument("attribute 'blocksize' is missing or not positive");
  if (block > 1 << 16) return invalidArgument(fmt::format("blocksize {} is too large", block));
  return Blocks{input, shape[0], shape[1], shape[2], shape[3], block};
}

Status importDepthToSpace(Node& node) {
  VTA_ASSIGN_OR_RETURN(Blocks in, readBlocks(node));
  const int64_t depth = in.block > in.channels ? 0 : in.channels / in.block / in.block;
  const int64_t groups = node.text("mode", "DCR") == "CRD" ? depth : 1;
  return node.finish(node.build().interleave(in.input, Shape{in.block, in.block}, groups, false));
}

Status importSpaceToDepth(Node& node) {
  VTA_ASSIGN_OR_RETURN(Blocks in, readBlocks(node));
  int64_t b = in.block;
  if (in.rows % b != 0 || in.columns % b != 0) {
    return invalidArgument(
        fmt::format("{} x {} is no multiple of the block {}", in.rows, in.columns, b));
  }
  VTA_ASSIGN_OR_RETURN(
      Value value, node.build().reshape(
                       in.input, Shape{in.batch, in.channels, in.rows / b, b, in.columns / b, b}));
  VTA_ASSIGN_OR_RETURN(value, node.build().transpose(value, Shape{0, 3, 5, 1, 2, 4}));
  return node.finish(node.build().reshape(
      value, Shape{in.batch, in.channels * b * b, in.rows / b, in.columns / b}));
}

}  // namespace

std::span<const OpEntry> movementOps() {
  static constexpr OpEntry kOps[] = {
      {"CenterCropPad", 18, kLatest, importCenterCropPad}, {"Concat", 1, kLatest, importConcat},
      {"DepthToSpace", 1, kLatest, importDepthToSpace},    {"Pad", 1, kLatest, importPad},
      {"SpaceToDepth", 1, kLatest, importSpaceToDepth},    {"Split", 1, kLatest, importSplit},
      {"Transpose", 1, kLatest, importTranspose},
  };
  return kOps;
}

}  // namespace vta::compiler
