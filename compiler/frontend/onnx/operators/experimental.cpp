// Operators of ONNX's first versions that were called experimental, and that exporters of Caffe,
// Core ML and PyTorch 0.x wrote. ONNX dropped them; runtimes still have them.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/frontend/onnx/compose.h"
#include "compiler/frontend/onnx/op_table.h"

namespace vta::compiler {
namespace {

using graph::Shape;
using graph::UnaryKind;
using mlir::Value;

/// alpha * x + beta.
Status importAffine(Node& node) {
  Composer c(node);
  const Value scaled = c.scale(c.input(0, "X"), node.number("alpha", 1));
  return c.finish(c.add(scaled, c.numberLike(node.number("beta", 0), scaled)));
}

Status importScale(Node& node) {
  Composer c(node);
  return c.finish(c.scale(c.input(0, "input"), node.number("scale", 1)));
}

/// x * scale + bias, with a bias for each channel.
Status importImageScaler(Node& node) {
  Composer c(node);
  const Value input = c.input(0, "input");
  if (!c.ok()) return c.status();
  const Shape shape = c.shape(input);
  const std::vector<double> bias = node.numberList("bias").value_or(std::vector<double>());
  if (shape.size() != 4) return invalidArgument("expects an input of rank 4");
  const auto channels = static_cast<size_t>(shape[1]);
  if (!bias.empty() && bias.size() != channels) {
    return invalidArgument(
        fmt::format("attribute 'bias' needs {} values, got {}", channels, bias.size()));
  }
  const Value scaled = c.scale(input, node.number("scale", 1));
  if (bias.empty()) return c.finish(scaled);
  return c.finish(c.add(scaled, c.numbers({shape[1], 1, 1}, bias, graph::elementTypeOf(input))));
}

/// Without the borders [left, top, right, bottom]; or from the left and the top one on, as large as
/// `scale` says, [height, width].
Status importCrop(Node& node) {
  Composer c(node);
  const Value input = c.input(0, "input");
  if (!c.ok()) return c.status();
  const Shape shape = c.shape(input), border = node.integerList("border").value_or(Shape(4, 0));
  const std::optional<Shape> size = node.integerList("scale");
  if (shape.size() != 4) return invalidArgument("expects an input of rank 4");
  if (border.size() != 4) return invalidArgument("attribute 'border' needs 4 values");
  if (size && size->size() != 2) return invalidArgument("attribute 'scale' needs 2 values");
  Value result = input;
  for (size_t i = 0; i < 2; ++i) {
    const int64_t extent = shape[2 + i], start = border[1 - i], rest = border[3 - i];
    const bool is_inside = start >= 0 && start < extent && rest >= 0 && rest < extent;
    const int64_t count = !is_inside ? 0 : size ? (*size)[i] : extent - start - rest;
    if (count < 1 || count > extent - start) {
      return invalidArgument(fmt::format("the borders {} do not fit an input of shape {}",
                                         graph::shapeText(border), graph::shapeText(shape)));
    }
    result = c.slice(result, static_cast<int64_t>(2 + i), start, start + count);
  }
  return c.finish(result);
}

/// alpha * tanh(beta * x).
Status importScaledTanh(Node& node) {
  Composer c(node);
  const Value inner = c.scale(c.input(0, "input"), node.number("beta", 1));
  return c.finish(c.scale(c.unary(UnaryKind::tanh, inner), node.number("alpha", 1)));
}

/// alpha * ln(exp(beta * x) + 1).
Status importParametricSoftplus(Node& node) {
  Composer c(node);
  const Value inner = c.scale(c.input(0, "X"), node.number("beta", 1));
  return c.finish(c.scale(c.unary(UnaryKind::softplus, inner), node.number("alpha", 1)));
}

}  // namespace

std::span<const OpEntry> experimentalOps() {
  static constexpr OpEntry kOps[] = {
      {"Affine", 1, kLatest, importAffine},
      {"Crop", 1, kLatest, importCrop},
      {"ImageScaler", 1, kLatest, importImageScaler},
      {"ParametricSoftplus", 1, kLatest, importParametricSoftplus},
      {"Scale", 1, kLatest, importScale},
      {"ScaledTanh", 1, kLatest, importScaledTanh},
  };
  return kOps;
}

}  // namespace vta::compiler
