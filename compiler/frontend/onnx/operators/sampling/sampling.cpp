// GridSample: pixels at computed coordinates, as gathers from the flattened image.
#include <fmt/format.h>

#include <array>

#include "compiler/frontend/onnx/compose.h"
#include "compiler/frontend/onnx/op_table.h"

namespace vta::compiler {
namespace {

using graph::Shape;
using graph::UnaryKind;
using mlir::Value;

struct Sampling {
  std::string padding;
  bool align_corners = false;
  Value image;   // [N H W, C]
  Value offset;  // of each image in it, [N, 1, 1]
  int64_t rows = 0, columns = 0;
};

/// Pixel coordinates of grid positions from -1 to 1.
Value pixelsOf(Composer& c, const Sampling& s, Value grid, int64_t extent) {
  const auto size = static_cast<double>(extent);
  const Value half = c.scale(c.add(grid, c.numberLike(1, grid)), 0.5);
  if (s.align_corners) return c.scale(half, size - 1);
  return c.sub(c.scale(half, size), c.numberLike(0.5, half));
}

/// Coordinates outside of the image as often reflected at its borders as it takes.
Value reflected(Composer& c, const Sampling& s, Value x, int64_t extent) {
  const double low = s.align_corners ? 0 : -0.5;
  const double span = static_cast<double>(extent) - (s.align_corners ? 1 : 0);
  if (span == 0) return c.scale(x, 0);
  const Value distance = c.unary(UnaryKind::abs, c.sub(x, c.numberLike(low, x)));
  // The position in a period of there and back.
  const Value turns = c.unary(UnaryKind::floor, c.scale(distance, 1 / (2 * span)));
  const Value rest = c.sub(distance, c.scale(turns, 2 * span));
  const Value back = c.sub(c.numberLike(2 * span, rest), rest);
  return c.add(c.min(rest, back), c.numberLike(low, x));
}

Value clamped(Composer& c, Value x, int64_t extent) {
  return c.max(c.min(x, c.numberLike(static_cast<double>(extent - 1), x)), c.numberLike(0, x));
}

/// A coordinate as the padding mode moves it.
Value padded(Composer& c, const Sampling& s, Value x, int64_t extent) {
  if (s.padding == "reflection") x = reflected(c, s, x, extent);
  return s.padding == "zeros" ? x : clamped(c, x, extent);
}

/// 1 where a whole-numbered coordinate lies inside of the image, else 0.
Value insideOf(Composer& c, Value x, int64_t extent) {
  return c.cast(c.equal(x, clamped(c, x, extent)), graph::elementTypeOf(x));
}

/// The pixels at whole-numbered coordinates, [N, h, w, C]; outside of the image 0.
Value pixelsAt(Composer& c, const Sampling& s, Value x, Value y) {
  x = padded(c, s, x, s.columns);
  y = padded(c, s, y, s.rows);
  if (!c.ok()) return {};
  const mlir::Type i64 = c.node().ir().getI64Type();
  const Value column = c.cast(clamped(c, x, s.columns), i64);
  const Value row = c.cast(clamped(c, y, s.rows), i64);
  const Value index = c.add(c.add(c.scale(row, static_cast<double>(s.columns)), column), s.offset);
  const Value pixels = c.gather(s.image, index, 0);
  if (s.padding != "zeros") return pixels;
  const Value inside = c.mul(insideOf(c, x, s.columns), insideOf(c, y, s.rows));
  return c.mul(pixels, c.unsqueeze(inside, 3));
}

Value nearestPixels(Composer& c, const Sampling& s, Value x, Value y) {
  return pixelsAt(c, s, c.unary(UnaryKind::round, x), c.unary(UnaryKind::round, y));
}

/// Weights of neighbours from floor(x) - `before` on, for the part of x behind floor(x).
std::vector<Value> linearWeights(Composer& c, Value t) { return {c.sub(c.numberLike(1, t), t), t}; }

/// Keys' kernel with a = -0.75, as polynomials ((p t + q) t + r) t + s.
std::vector<Value> cubicWeights(Composer& c, Value t) {
  constexpr double a = -0.75;
  constexpr std::array<std::array<double, 4>, 4> kPolynomials = {
      {{a, -2 * a, a, 0}, {a + 2, -(a + 3), 0, 1}, {-(a + 2), 2 * a + 3, -a, 0}, {-a, a, 0, 0}}};
  std::vector<Value> weights;
  for (const auto& polynomial : kPolynomials) {
    Value value = c.scale(t, polynomial[0]);
    for (size_t i = 1; i < 4; ++i) {
      value = c.add(value, c.numberLike(polynomial[i], t));
      if (i < 3) value = c.mul(value, t);
    }
    weights.push_back(value);
  }
  return weights;
}

Value interpolated(Composer& c, const Sampling& s, Value x, Value y, bool cubic) {
  const Value left = c.unary(UnaryKind::floor, x), top = c.unary(UnaryKind::floor, y);
  const auto weigh = cubic ? cubicWeights : linearWeights;
  const std::vector<Value> across = weigh(c, c.sub(x, left)), down = weigh(c, c.sub(y, top));
  const double first = cubic ? -1 : 0;
  Value sum;
  for (size_t j = 0; j < down.size(); ++j) {
    for (size_t i = 0; i < across.size(); ++i) {
      const Value pixels =
          pixelsAt(c, s, c.add(left, c.numberLike(first + static_cast<double>(i), left)),
                   c.add(top, c.numberLike(first + static_cast<double>(j), top)));
      const Value part = c.mul(pixels, c.unsqueeze(c.mul(down[j], across[i]), 3));
      sum = sum ? c.add(sum, part) : part;
    }
  }
  return sum;
}

Status importGridSample(Node& node) {
  Composer c(node);
  Value input = c.input(0, "X"), grid = c.input(1, "grid");
  const Shape shape = c.shape(input), positions = c.shape(grid);
  if (!c.ok()) return c.status();
  if (shape.size() != 4) return unsupported("only images (two spatial dimensions) are supported");
  if (positions.size() != 4 || positions[0] != shape[0] || positions[3] != 2) {
    return invalidArgument(fmt::format("a grid of shape {} does not fit an input of shape {}",
                                       graph::shapeText(positions), graph::shapeText(shape)));
  }
  Sampling s;
  s.padding = node.text("padding_mode", "zeros");
  s.align_corners = node.integer("align_corners", 0) != 0;
  if (s.padding != "zeros" && s.padding != "border" && s.padding != "reflection") {
    return invalidArgument(fmt::format("padding_mode '{}' is unknown", s.padding));
  }
  s.rows = shape[2];
  s.columns = shape[3];
  const mlir::Type i64 = node.ir().getI64Type();
  s.image = c.reshape(c.transpose(input, {0, 2, 3, 1}), {shape[0] * shape[2] * shape[3], shape[1]});
  s.offset = c.scale(c.positions(shape[0], 0, 3, i64), static_cast<double>(shape[2] * shape[3]));
  const Value x = pixelsOf(c, s, c.squeeze(c.slice(grid, 3, 0, 1), 3), s.columns);
  const Value y = pixelsOf(c, s, c.squeeze(c.slice(grid, 3, 1, 2), 3), s.rows);
  const std::string mode = node.text("mode", "linear");
  Value pixels;
  if (mode == "nearest") {
    pixels = nearestPixels(c, s, padded(c, s, x, s.columns), padded(c, s, y, s.rows));
  } else if (mode == "linear" || mode == "bilinear") {
    pixels = interpolated(c, s, padded(c, s, x, s.columns), padded(c, s, y, s.rows), false);
  } else if (mode == "cubic" || mode == "bicubic") {
    pixels = interpolated(c, s, x, y, true);
  } else {
    return invalidArgument(fmt::format("mode '{}' is unknown", mode));
  }
  return c.finish(c.transpose(pixels, {0, 3, 1, 2}));
}

}  // namespace

std::span<const OpEntry> samplingOps() {
  static constexpr OpEntry kOps[] = {
      {"GridSample", 16, kLatest, importGridSample},
  };
  return kOps;
}

}  // namespace vta::compiler
