#include "compiler/dialects/graph/shapes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>

namespace vta::graph {
namespace {

/// Larger extents, strides and the like are not legal: products of two fit 63 bits.
constexpr int64_t kMaxExtent = int64_t{1} << 31;

bool isInRange(int64_t value) { return value >= -kMaxExtent && value <= kMaxExtent; }

Status checkRange(std::string_view what, ShapeRef values) {
  if (std::ranges::all_of(values, isInRange)) return {};
  return invalidArgument(fmt::format("{} {} are out of range", what, shapeText(values)));
}

Status checkLength(std::string_view what, ShapeRef values, size_t expected) {
  if (values.size() == expected) return {};
  return invalidArgument(
      fmt::format("expects {} values in '{}', got {}", expected, what, values.size()));
}

Status checkRank4(std::string_view what, ShapeRef shape) {
  if (shape.size() == 4) return {};
  return invalidArgument(fmt::format("expects {} of rank 4, got {}", what, shapeText(shape)));
}

Status checkBias(ShapeRef bias, int64_t channels) {
  if (bias.empty() || (bias.size() == 1 && bias[0] == channels)) return {};
  return invalidArgument(
      fmt::format("expects a bias of shape [{}], got {}", channels, shapeText(bias)));
}

Status checkWindow(const Window& window) {
  VTA_RETURN_IF_ERROR(checkLength("kernel", window.kernel, 2));
  VTA_RETURN_IF_ERROR(checkLength("strides", window.strides, 2));
  VTA_RETURN_IF_ERROR(checkLength("pads", window.pads, 4));
  VTA_RETURN_IF_ERROR(checkLength("dilations", window.dilations, 2));
  VTA_RETURN_IF_ERROR(checkRange("strides", window.strides));
  VTA_RETURN_IF_ERROR(checkRange("pads", window.pads));
  VTA_RETURN_IF_ERROR(checkRange("dilations", window.dilations));
  auto positive = [](int64_t value) { return value > 0; };
  if (!std::ranges::all_of(window.kernel, positive)) {
    return invalidArgument("expects a kernel of positive extents, got " + shapeText(window.kernel));
  }
  if (!std::ranges::all_of(window.strides, positive)) {
    return invalidArgument("expects positive strides, got " + shapeText(window.strides));
  }
  if (!std::ranges::all_of(window.dilations, positive)) {
    return invalidArgument("expects positive dilations, got " + shapeText(window.dilations));
  }
  if (!std::ranges::all_of(window.pads, [](int64_t pad) { return pad >= 0; })) {
    return invalidArgument("expects pads of at least 0, got " + shapeText(window.pads));
  }
  return {};
}

Status checkGroup(int64_t group, int64_t channels, std::string_view what) {
  if (group > 0 && isInRange(group) && channels % group == 0) return {};
  return invalidArgument(fmt::format("group {} does not divide the {} {}", group, channels, what));
}

}  // namespace

std::string shapeText(ShapeRef shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

int64_t elementCount(ShapeRef shape) {
  if (std::ranges::any_of(shape, [](int64_t x) { return x < 0 || x > kMaxExtent; })) return -1;
  if (std::ranges::find(shape, 0) != shape.end()) return 0;
  int64_t count = 1;
  for (int64_t extent : shape) {
    if (__builtin_mul_overflow(count, extent, &count)) return -1;
  }
  return count;
}

bool isPixelPerImage(ShapeRef one, ShapeRef all) {
  return one.size() == 4 && all.size() == 4 && std::ranges::equal(one.first(2), all.first(2)) &&
         one[2] == 1 && one[3] == 1;
}

Result<Shape> broadcastShape(ShapeRef lhs, ShapeRef rhs) {
  Shape result(std::max(lhs.size(), rhs.size()));
  auto extent = [&](ShapeRef shape, size_t from_end) {
    return from_end < shape.size() ? shape[shape.size() - 1 - from_end] : 1;
  };
  for (size_t i = 0; i < result.size(); ++i) {
    int64_t left = extent(lhs, i), right = extent(rhs, i);
    if (left != right && left != 1 && right != 1) {
      return invalidArgument(
          fmt::format("shapes {} and {} do not broadcast", shapeText(lhs), shapeText(rhs)));
    }
    result[result.size() - 1 - i] = left == 1 ? right : left;
  }
  return result;
}

Result<Shape> windowShape(ShapeRef input, int64_t channels, const Window& window) {
  VTA_RETURN_IF_ERROR(checkRank4("an input", input));
  VTA_RETURN_IF_ERROR(checkWindow(window));
  Shape result = {input[0], channels, 0, 0};
  for (size_t i = 0; i < 2; ++i) {
    int64_t padded = input[2 + i] + window.pads[i] + window.pads[2 + i];
    int64_t reach = window.dilations[i] * (window.kernel[i] - 1) + 1;
    if (padded < reach) {
      return invalidArgument(fmt::format("the window needs {} {}, but the padded input has {}",
                                         reach, i == 0 ? "rows" : "columns", padded));
    }
    result[2 + i] = (padded - reach) / window.strides[i] + 1;
  }
  return result;
}

Result<Shape> convShape(ShapeRef input, ShapeRef weight, ShapeRef bias, Window window,
                        int64_t group) {
  VTA_RETURN_IF_ERROR(checkRank4("an input", input));
  VTA_RETURN_IF_ERROR(checkRank4("a weight", weight));
  VTA_RETURN_IF_ERROR(checkGroup(group, input[1], "input channels"));
  VTA_RETURN_IF_ERROR(checkGroup(group, weight[0], "output channels"));
  if (weight[1] * group != input[1]) {
    return invalidArgument(
        fmt::format("weight {} is for {} input channels, but the input {} has {}",
                    shapeText(weight), weight[1] * group, shapeText(input), input[1]));
  }
  VTA_RETURN_IF_ERROR(checkBias(bias, weight[0]));
  window.kernel = weight.subspan(2);
  return windowShape(input, weight[0], window);
}

Result<Shape> convTransposeShape(ShapeRef input, ShapeRef weight, ShapeRef bias, Window window,
                                 ShapeRef output_padding, int64_t group) {
  VTA_RETURN_IF_ERROR(checkRank4("an input", input));
  VTA_RETURN_IF_ERROR(checkRank4("a weight", weight));
  VTA_RETURN_IF_ERROR(checkGroup(group, input[1], "input channels"));
  VTA_RETURN_IF_ERROR(checkLength("output_padding", output_padding, 2));
  VTA_RETURN_IF_ERROR(checkRange("output_padding", output_padding));
  if (weight[0] != input[1]) {
    return invalidArgument(
        fmt::format("weight {} is for {} input channels, but the input {} has {}",
                    shapeText(weight), weight[0], shapeText(input), input[1]));
  }
  VTA_RETURN_IF_ERROR(checkBias(bias, weight[1] * group));
  window.kernel = weight.subspan(2);
  VTA_RETURN_IF_ERROR(checkWindow(window));
  Shape result = {input[0], weight[1] * group, 0, 0};
  for (size_t i = 0; i < 2; ++i) {
    result[2 + i] = (input[2 + i] - 1) * window.strides[i] +
                    (window.kernel[i] - 1) * window.dilations[i] + 1 + output_padding[i] -
                    window.pads[i] - window.pads[2 + i];
    if (output_padding[i] < 0 || result[2 + i] <= 0) {
      return invalidArgument(
          fmt::format("the pads {} and output_padding {} leave an output extent of {}",
                      shapeText(window.pads), shapeText(output_padding), result[2 + i]));
    }
  }
  return result;
}

Result<Shape> poolShape(ShapeRef input, const Window& window) {
  VTA_RETURN_IF_ERROR(checkRank4("an input", input));
  return windowShape(input, input[1], window);
}

Result<Shape> matmulShape(ShapeRef lhs, ShapeRef rhs) {
  if (lhs.size() < 2 || rhs.size() < 2) {
    return invalidArgument(fmt::format("expects operands of rank 2 or more, got {} and {}",
                                       shapeText(lhs), shapeText(rhs)));
  }
  if (lhs.back() != rhs[rhs.size() - 2]) {
    return invalidArgument(
        fmt::format("the inner dimensions of {} and {} differ", shapeText(lhs), shapeText(rhs)));
  }
  VTA_ASSIGN_OR_RETURN(Shape result,
                       broadcastShape(lhs.first(lhs.size() - 2), rhs.first(rhs.size() - 2)));
  result.push_back(lhs[lhs.size() - 2]);
  result.push_back(rhs.back());
  return result;
}

Result<Shape> interleaveShape(ShapeRef input, ShapeRef block, int64_t groups, bool repeat) {
  VTA_RETURN_IF_ERROR(checkRank4("an input", input));
  VTA_RETURN_IF_ERROR(checkLength("block", block, 2));
  constexpr int64_t kMostRepeats = int64_t{1} << 20;
  if (std::ranges::any_of(block, [](int64_t x) { return x < 1 || x > kMostRepeats; })) {
    return invalidArgument("expects a block of positive extents, got " + shapeText(block));
  }
  const int64_t divisor = repeat ? 1 : block[0] * block[1];
  if (input[1] % divisor != 0) {
    return invalidArgument(fmt::format("{} channels are no multiple of {}", input[1], divisor));
  }
  const int64_t channels = input[1] / divisor;
  VTA_RETURN_IF_ERROR(checkGroup(groups, channels, "channels"));
  return Shape{input[0], channels, input[2] * block[0], input[3] * block[1]};
}

Result<Shape> transposeShape(ShapeRef input, ShapeRef permutation) {
  VTA_RETURN_IF_ERROR(checkLength("permutation", permutation, input.size()));
  std::vector<bool> seen(input.size());
  Shape result;
  for (int64_t source : permutation) {
    if (source < 0 || source >= std::ssize(input) || seen[source]) {
      return invalidArgument(fmt::format("{} is not a permutation of {} dimensions",
                                         shapeText(permutation), input.size()));
    }
    seen[source] = true;
    result.push_back(input[source]);
  }
  return result;
}

Result<Shape> concatShape(std::span<const Shape> inputs, int64_t axis) {
  if (inputs.empty()) return invalidArgument("expects at least one input");
  VTA_RETURN_IF_ERROR(checkAxis(axis, inputs[0].size()));
  Shape result = inputs[0];
  for (const Shape& input : inputs.subspan(1)) {
    bool fits = input.size() == result.size();
    for (size_t i = 0; fits && i < input.size(); ++i) {
      fits = i == static_cast<size_t>(axis) || input[i] == result[i];
    }
    if (!fits) {
      return invalidArgument(fmt::format("inputs {} and {} differ outside axis {}",
                                         shapeText(inputs[0]), shapeText(input), axis));
    }
    result[axis] += input[axis];
  }
  return result;
}

Result<Shape> padShape(ShapeRef input, ShapeRef low, ShapeRef high) {
  VTA_RETURN_IF_ERROR(checkLength("low", low, input.size()));
  VTA_RETURN_IF_ERROR(checkLength("high", high, input.size()));
  VTA_RETURN_IF_ERROR(checkRange("pads", low));
  VTA_RETURN_IF_ERROR(checkRange("pads", high));
  Shape result;
  for (size_t i = 0; i < input.size(); ++i) {
    result.push_back(input[i] + low[i] + high[i]);
    if (result.back() < 0) {
      return invalidArgument(fmt::format("pads {} and {} leave dimension {} of {} negative",
                                         shapeText(low), shapeText(high), i, shapeText(input)));
    }
  }
  return result;
}

Result<Shape> gatherShape(ShapeRef input, ShapeRef indices, int64_t axis) {
  VTA_RETURN_IF_ERROR(checkAxis(axis, input.size()));
  Shape result(input.begin(), input.begin() + axis);
  result.insert(result.end(), indices.begin(), indices.end());
  result.insert(result.end(), input.begin() + axis + 1, input.end());
  return result;
}

Result<Shape> reduceShape(ShapeRef input, ShapeRef axes, bool keep_dims) {
  for (size_t i = 0; i < axes.size(); ++i) {
    VTA_RETURN_IF_ERROR(checkAxis(axes[i], input.size()));
    if (i > 0 && axes[i] <= axes[i - 1]) {
      return invalidArgument("expects axes in increasing order, got " + shapeText(axes));
    }
  }
  Shape result;
  for (int64_t i = 0; i < std::ssize(input); ++i) {
    bool reduced = std::ranges::binary_search(axes, i);
    if (!reduced) result.push_back(input[i]);
    if (reduced && keep_dims) result.push_back(1);
  }
  return result;
}

Status checkSlice(ShapeRef input, ShapeRef starts, ShapeRef steps, ShapeRef result) {
  VTA_RETURN_IF_ERROR(checkLength("starts", starts, input.size()));
  VTA_RETURN_IF_ERROR(checkLength("steps", steps, input.size()));
  if (result.size() != input.size()) {
    return invalidArgument(
        fmt::format("expects a result of rank {}, got {}", input.size(), shapeText(result)));
  }
  for (size_t i = 0; i < input.size(); ++i) {
    if (steps[i] == 0) return invalidArgument(fmt::format("step {} is 0", i));
    if (result[i] == 0) continue;
    int64_t last = starts[i] + (result[i] - 1) * steps[i];
    if (std::min(starts[i], last) < 0 || std::max(starts[i], last) >= input[i]) {
      return invalidArgument(fmt::format("elements {} to {} of dimension {} are outside {}",
                                         starts[i], last, i, shapeText(input)));
    }
  }
  return {};
}

Status checkAxis(int64_t axis, size_t rank) {
  if (axis >= 0 && axis < static_cast<int64_t>(rank)) return {};
  return invalidArgument(fmt::format("axis {} is outside [0, {})", axis, rank));
}

}  // namespace vta::graph
