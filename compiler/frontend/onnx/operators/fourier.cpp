// Discrete Fourier transforms, as products with a constant matrix of cosines and sines.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "compiler/frontend/onnx/compose.h"
#include "compiler/frontend/onnx/op_table.h"

namespace vta::compiler {
namespace {

using graph::Shape;
using mlir::Value;

/// The matrix takes memory that grows with the square of the length.
constexpr int64_t kLongest = 1 << 13;

/// A transform of `length` numbers to `bins`.
struct Transform {
  int64_t length = 0, bins = 0;
  bool is_inverse = false;
};

Result<Transform> planTransform(int64_t length, bool is_inverse, bool is_one_sided) {
  if (length < 1 || length > kLongest) {
    return unsupported(
        fmt::format("a transform of {} numbers is not supported; 1 to {} are", length, kLongest));
  }
  if (is_inverse && is_one_sided) {
    return unsupported("an inverse transform of one side is not supported");
  }
  return Transform{length, is_one_sided ? length / 2 + 1 : length, is_inverse};
}

/// [length, 2 * bins]: what the real (or the imaginary) part adds to the real parts of all bins,
/// and to their imaginary parts.
Value factors(Composer& c, const Transform& t, bool of_imaginary, mlir::Type type) {
  const double sign = t.is_inverse ? 1 : -1;
  const double scale = t.is_inverse ? 1.0 / static_cast<double>(t.length) : 1;
  std::vector<double> values(static_cast<size_t>(t.length * 2 * t.bins));
  for (int64_t i = 0; i < t.length; ++i) {
    for (int64_t k = 0; k < t.bins; ++k) {
      // The remainder keeps the angle exact for long transforms.
      const double angle = 2 * std::numbers::pi * static_cast<double>(i * k % t.length) /
                           static_cast<double>(t.length);
      const double cosine = scale * std::cos(angle), sine = sign * scale * std::sin(angle);
      double* at = &values[static_cast<size_t>(i * 2 * t.bins + k)];
      at[0] = of_imaginary ? -sine : cosine;
      at[t.bins] = of_imaginary ? cosine : sine;
    }
  }
  return c.numbers({t.length, 2 * t.bins}, values, type);
}

/// The transform along the last dimension; `imaginary` may be null. The result has a dimension of 2
/// in front of that of the bins: real and imaginary parts.
Value transformed(Composer& c, Value real, Value imaginary, const Transform& t) {
  if (!c.ok()) return {};
  const mlir::Type type = graph::elementTypeOf(real);
  Value sum = c.matmul(real, factors(c, t, false, type));
  if (imaginary) sum = c.add(sum, c.matmul(imaginary, factors(c, t, true, type)));
  Shape shape = c.shape(sum);
  if (!c.ok()) return {};
  shape.back() = 2;
  shape.push_back(t.bins);
  return c.reshape(sum, shape);
}

/// Part 0 (real) or 1 (imaginary) of numbers whose parts are the last dimension; null if they have
/// none.
Value part(Composer& c, Value numbers, int64_t index) {
  const int64_t last = c.rank(numbers) - 1;
  if (!c.ok() || c.shape(numbers)[last] <= index) return {};
  return c.squeeze(c.slice(numbers, last, index, index + 1), last);
}

/// The first `length` numbers of the last dimension, with zeros behind them if there are fewer.
Value ofLength(Composer& c, Value value, int64_t length) {
  if (!c.ok() || !value) return {};
  const int64_t last = c.rank(value) - 1, extent = c.shape(value)[last];
  if (extent >= length) return extent == length ? value : c.slice(value, last, 0, length);
  const Shape low(last + 1, 0);
  Shape high = low;
  high[last] = length - extent;
  return c.pad(value, low, high);
}

/// One constant integer; `otherwise` if the input is absent.
int64_t oneInteger(Composer& c, size_t index, const char* name, int64_t otherwise) {
  if (!c.ok() || !c.node().hasInput(index)) return otherwise;
  const Shape values = c.integers(index, name);
  if (c.ok() && values.size() != 1)
    c.fail(invalidArgument(fmt::format("'{}' is not one number", name)));
  return c.ok() ? values.front() : otherwise;
}

Status importDft(Node& node) {
  Composer c(node);
  const Value input = c.input(0, "input");
  const int64_t rank = c.rank(input);
  if (c.ok() && (rank < 2 || c.shape(input)[rank - 1] < 1 || c.shape(input)[rank - 1] > 2)) {
    return invalidArgument("the last dimension of 'input' has to be 1 (real) or 2 (complex)");
  }
  // The axis is an attribute before opset 20.
  const int64_t wanted = node.opset() < 20 ? node.integer("axis", 1) : oneInteger(c, 2, "axis", -2);
  const int64_t axis = c.axis(wanted, rank);
  if (!c.ok()) return c.status();
  if (axis == rank - 1) return invalidArgument("the last dimension has the parts of each number");
  const int64_t length = oneInteger(c, 1, "dft_length", c.shape(input)[axis]);
  if (!c.ok()) return c.status();
  VTA_ASSIGN_OR_RETURN(
      const Transform transform,
      planTransform(length, node.integer("inverse", 0) != 0, node.integer("onesided", 0) != 0));

  // Dimension `axis` goes to the end, and afterwards back.
  Shape order, back;
  for (int64_t i = 0; i < rank - 1; ++i) {
    if (i != axis) order.push_back(i);
  }
  order.push_back(axis);
  const auto along = [&](int64_t index) {
    const Value value = part(c, input, index);
    return value ? ofLength(c, c.transpose(value, order), length) : Value();
  };
  const Value real = along(0), imaginary = along(1);
  const Value output = transformed(c, real, imaginary, transform);
  for (int64_t i = 0; i < rank - 1; ++i)
    back.push_back(i < axis ? i : i == axis ? rank - 1 : i - 1);
  back.push_back(rank - 2);
  return c.finish(c.transpose(output, back));
}

/// Transforms of overlapping frames, which a window may fade.
Status importStft(Node& node) {
  Composer c(node);
  const Value signal = c.input(0, "signal");
  const Value window = c.optional(2);
  const int64_t step = oneInteger(c, 1, "frame_step", 0);
  if (!c.ok()) return c.status();
  const Shape shape = c.shape(signal);
  const bool has_parts = shape.size() == 3;
  if (shape.size() < 2 || shape.size() > 3 || (has_parts && (shape[2] < 1 || shape[2] > 2))) {
    return invalidArgument("'signal' is not [batch, length, 1 (real) or 2 (complex)]");
  }
  if (window && c.rank(window) != 1) return invalidArgument("'window' is not a vector");
  if (!window && !node.hasInput(3)) {
    return invalidArgument("it needs 'window' or 'frame_length'");
  }
  const int64_t length = oneInteger(c, 3, "frame_length", window ? c.shape(window)[0] : 0);
  if (!c.ok()) return c.status();
  if (step < 1 || length < 1 || length > shape[1] || (window && c.shape(window)[0] != length)) {
    return invalidArgument(fmt::format(
        "frames of {} with a step of {} do not fit a signal of {}{}", length, step, shape[1],
        window ? fmt::format(" and a window of {}", c.shape(window)[0]) : std::string()));
  }
  VTA_ASSIGN_OR_RETURN(const Transform transform,
                       planTransform(length, false, node.integer("onesided", 1) != 0));
  const int64_t frames = (shape[1] - length) / step + 1;
  std::vector<int64_t> places;
  for (int64_t at = 0; at < frames * length; ++at)
    places.push_back(at / length * step + at % length);
  const Value indices = c.integers({frames, length}, places, node.ir().getI64Type());
  const auto framed = [&](int64_t index) {
    const Value value = has_parts ? part(c, signal, index) : index == 0 ? signal : Value();
    if (!value) return Value();
    const Value cut = c.gather(value, indices, 1);
    return window ? c.mul(cut, window) : cut;
  };
  const Value real = framed(0), imaginary = framed(1);
  return c.finish(c.transpose(transformed(c, real, imaginary, transform), {0, 1, 3, 2}));
}

}  // namespace

std::span<const OpEntry> fourierOps() {
  static constexpr OpEntry kOps[] = {
      {"DFT", 17, kLatest, importDft},
      {"STFT", 17, kLatest, importStft},
  };
  return kOps;
}

}  // namespace vta::compiler
