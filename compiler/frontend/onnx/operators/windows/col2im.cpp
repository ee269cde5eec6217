// Col2Im: an image as the sum of its blocks.
#include <fmt/format.h>

#include <functional>
#include <numeric>

#include "compiler/frontend/onnx/compose.h"
#include "compiler/frontend/onnx/op_table.h"

namespace vta::compiler {
namespace {

using graph::Shape;
using mlir::Value;

/// Where blocks lie in an image; one number for each of its dimensions.
struct Blocks {
  Shape image, block, dilations, strides, pads;
  Shape padded, counts;  // extents of the padded image, and how many blocks there are
};

Result<Blocks> readBlocks(Node& node) {
  Blocks b;
  VTA_ASSIGN_OR_RETURN(b.image, node.integers(1, "image_shape"));
  VTA_ASSIGN_OR_RETURN(b.block, node.integers(2, "block_shape"));
  const size_t rank = b.image.size();
  b.dilations = node.integerList("dilations").value_or(Shape(rank, 1));
  b.strides = node.integerList("strides").value_or(Shape(rank, 1));
  b.pads = node.integerList("pads").value_or(Shape(2 * rank, 0));
  if (rank == 0 || b.block.size() != rank || b.dilations.size() != rank ||
      b.strides.size() != rank || b.pads.size() != 2 * rank) {
    return invalidArgument("'block_shape' or an attribute does not fit 'image_shape'");
  }
  for (size_t i = 0; i < rank; ++i) {
    b.padded.push_back(b.image[i] + b.pads[i] + b.pads[rank + i]);
    const int64_t reach = b.dilations[i] * (b.block[i] - 1) + 1;
    const bool fits = b.image[i] > 0 && b.block[i] > 0 && b.dilations[i] > 0 && b.strides[i] > 0 &&
                      b.pads[i] >= 0 && b.pads[rank + i] >= 0 && reach <= b.padded[i];
    if (!fits) return invalidArgument(fmt::format("dimension {} of its blocks does not fit", i));
    b.counts.push_back((b.padded[i] - reach) / b.strides[i] + 1);
  }
  return b;
}

/// The position in the padded image of every element of a block, for every block: [elements,
/// blocks].
std::vector<int64_t> positionsOf(const Blocks& b) {
  std::vector<int64_t> positions = {0};
  // All `count` multiples of `step`, the last dimension fastest.
  const auto spread = [&](const Shape& counts, const Shape& steps) {
    for (size_t i = 0; i < counts.size(); ++i) {
      const int64_t stride = std::accumulate(b.padded.begin() + static_cast<int64_t>(i) + 1,
                                             b.padded.end(), int64_t{1}, std::multiplies<>());
      std::vector<int64_t> next;
      for (const int64_t position : positions) {
        for (int64_t k = 0; k < counts[i]; ++k) next.push_back(position + k * steps[i] * stride);
      }
      positions = std::move(next);
    }
  };
  spread(b.block, b.dilations);
  spread(b.counts, b.strides);
  return positions;
}

Status importCol2Im(Node& node) {
  Composer c(node);
  const Value input = c.input(0, "input");
  VTA_ASSIGN_OR_RETURN(const Blocks b, readBlocks(node));
  const Shape shape = c.shape(input);
  if (!c.ok()) return c.status();
  const int64_t elements = graph::elementCount(b.block), blocks = graph::elementCount(b.counts);
  if (shape.size() != 3 || shape[1] % elements != 0 || shape[2] != blocks) {
    return invalidArgument(fmt::format("its input of shape {} is not {} blocks of {} elements",
                                       graph::shapeText(shape), blocks, elements));
  }
  const int64_t batch = shape[0], channels = shape[1] / elements;
  // [positions, images and channels]
  Value rows = c.reshape(input, {batch, channels, elements * blocks});
  rows = c.reshape(c.transpose(rows, {2, 0, 1}), {elements * blocks, batch * channels});
  const int64_t total = graph::elementCount(b.padded);
  const Value zeros = c.filled({total, batch * channels}, 0, graph::elementTypeOf(input));
  const Value places = c.integers({elements * blocks}, positionsOf(b), node.ir().getI64Type());
  if (!c.ok()) return c.status();
  const Value sums = c.take(node.build().scatter(zeros, places, rows, graph::BinaryKind::add));
  Shape all = {batch, channels};
  all.insert(all.end(), b.padded.begin(), b.padded.end());
  Value image = c.reshape(c.transpose(sums, {1, 0}), all);
  for (size_t i = 0; i < b.image.size(); ++i) {
    image = c.slice(image, static_cast<int64_t>(i) + 2, b.pads[i], b.pads[i] + b.image[i]);
  }
  return c.finish(image);
}

}  // namespace

std::span<const OpEntry> blockOps() {
  static constexpr OpEntry kOps[] = {{"Col2Im", 18, kLatest, importCol2Im}};
  return kOps;
}

}  // namespace vta::compiler
