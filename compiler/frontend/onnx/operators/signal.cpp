// Operators along one axis: CumSum, ReverseSequence, and constants of signal processing.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "compiler/frontend/onnx/compose.h"
#include "compiler/frontend/onnx/op_table.h"
#include "compiler/frontend/onnx/operators/layers.h"

namespace vta::compiler {
namespace {

using graph::Shape;
using mlir::Value;

/// `input` moved `count` places towards the end of `axis`, zeros in front.
Value shifted(Composer& c, Node& node, Value input, int64_t axis, int64_t count) {
  Shape shape = c.shape(input);
  if (!c.ok()) return {};
  Value rest = c.slice(input, axis, 0, shape[axis] - count);
  if (!c.ok()) return {};
  Shape low;
  for (int64_t i = 0; i < static_cast<int64_t>(shape.size()); ++i)
    low.push_back(i == axis ? count : 0);
  const Shape high(shape.size(), 0);
  return c.take(node.build().pad(rest, low, high, graph::PadMode::constant, 0));
}

Status importCumSum(Node& node) {
  Composer c(node);
  Value sums = c.input(0, "x");
  Shape wanted = c.integers(1, "axis");
  if (c.ok() && wanted.size() != 1) return invalidArgument("'axis' is not a scalar");
  int64_t axis = c.ok() ? c.axis(wanted[0], c.rank(sums)) : 0;
  if (!c.ok()) return c.status();
  bool is_reversed = node.integer("reverse", 0) != 0;
  if (c.shape(sums)[axis] == 0) return c.finish(sums);
  if (is_reversed) sums = c.reversed(sums, axis);
  if (node.integer("exclusive", 0)) sums = shifted(c, node, sums, axis, 1);
  sums = prefixSums(c, sums, axis);
  return c.finish(is_reversed ? c.reversed(sums, axis) : sums);
}

/// The first sequence_lens[b] elements along the time axis backwards, the others as they are.
Status importReverseSequence(Node& node) {
  Composer c(node);
  Value input = c.input(0, "input"), lengths = c.input(1, "sequence_lens");
  Shape shape = c.shape(input);
  int64_t rank = c.rank(input);
  int64_t time = c.axis(node.integer("time_axis", 0), rank);
  int64_t batch = c.axis(node.integer("batch_axis", 1), rank);
  if (!c.ok()) return c.status();
  if (time == batch || c.shape(lengths) != Shape{shape[batch]}) {
    return invalidArgument("the lengths do not fit the batch axis");
  }
  // As GatherElements: each element's position in the flattened tensor.
  mlir::Type type = node.ir().getI64Type();
  Shape per_batch(rank, 1);
  per_batch[batch] = shape[batch];
  Value length = c.reshape(c.cast(lengths, type), per_batch);
  Value step = c.positions(shape[time], time, rank, type);
  Value mirrored = c.sub(c.sub(length, c.numberLike(1, length)), step);
  Value source = c.where(c.less(step, length), mirrored, step);
  Value position = c.numberLike(0, source);
  int64_t stride = 1;
  for (int64_t d = rank; d-- > 0; stride *= shape[d]) {
    Value index = d == time ? source : c.positions(shape[d], d, rank, type);
    position = c.add(position, c.mul(index, c.numberLike(static_cast<double>(stride), index)));
  }
  Value flat = c.reshape(input, {graph::elementCount(shape)});
  return c.finish(c.gather(flat, c.expand(position, shape), 0));
}

/// Coefficients of cos(0), cos(x) and cos(2 x).
using Cosines = std::array<double, 3>;
constexpr Cosines kHann = {0.5, -0.5, 0};
constexpr Cosines kHamming = {25.0 / 46, -21.0 / 46, 0};
constexpr Cosines kBlackman = {0.42, -0.5, 0.08};

template <const Cosines& coefficients>
Status importWindow(Node& node) {
  Composer c(node);
  Shape size = c.integers(0, "size");
  if (!c.ok()) return c.status();
  if (size.size() != 1 || size[0] < 1 || size[0] > 1 << 24) {
    return invalidArgument("'size' is not one positive number");
  }
  VTA_ASSIGN_OR_RETURN(mlir::Type type, node.computedType(node.integer("output_datatype", 1)));
  // A symmetric window ends with the value that it begins with.
  bool is_periodic = node.integer("periodic", 1) != 0;
  auto period = static_cast<double>(is_periodic ? size[0] : std::max<int64_t>(size[0] - 1, 1));
  std::vector<double> values;
  for (int64_t i = 0; i < size[0]; ++i) {
    double x = 2 * std::numbers::pi * static_cast<double>(i) / period;
    values.push_back(coefficients[0] + coefficients[1] * std::cos(x) +
                     coefficients[2] * std::cos(2 * x));
  }
  return c.finish(c.numbers({size[0]}, values, type));
}

/// A number that has to be constant.
double numberAt(Composer& c, size_t index, const char* name) {
  if (!c.ok()) return 0;
  const Result<std::vector<double>> values = c.node().numbers(index, name);
  if (!values.ok() || values->size() != 1) {
    c.fail(values.ok() ? invalidArgument(fmt::format("'{}' is not one number", name))
                       : values.status());
    return 0;
  }
  return values->front();
}

/// The bins of a spectrum at which the triangles of a mel filter bank begin, peak and end.
std::vector<int64_t> melEdges(int64_t triangles, double dft_length, double rate, double low,
                              double high) {
  constexpr double kMelPerDecade = 2595, kCornerHertz = 700;
  const auto mel_of = [](double hertz) {
    return kMelPerDecade * std::log10(1 + hertz / kCornerHertz);
  };
  const double first = mel_of(low);
  const double step = (mel_of(high) - first) / static_cast<double>(triangles + 2);
  std::vector<int64_t> edges;
  for (int64_t i = 0; i < triangles + 2; ++i) {
    const double mel = static_cast<double>(i) * step + first;
    const double hertz = kCornerHertz * (std::pow(10, mel / kMelPerDecade) - 1);
    edges.push_back(static_cast<int64_t>(std::floor((dft_length + 1) * hertz / rate)));
  }
  return edges;
}

/// A matrix [bins of the spectrum, triangles] of weights between 0 and 1.
Status importMelWeightMatrix(Node& node) {
  Composer c(node);
  const auto triangles = static_cast<int64_t>(numberAt(c, 0, "num_mel_bins"));
  const double dft_length = numberAt(c, 1, "dft_length"), rate = numberAt(c, 2, "sample_rate");
  const double low = numberAt(c, 3, "lower_edge_hertz"), high = numberAt(c, 4, "upper_edge_hertz");
  if (!c.ok()) return c.status();
  constexpr int64_t kMost = 1 << 16;
  if (triangles < 1 || triangles > kMost || !(dft_length >= 1 && dft_length <= kMost) ||
      !(rate > 0) || !(low >= 0) || !(low <= high) || !(high <= rate / 2)) {
    return invalidArgument("its sizes or frequencies are out of range");
  }
  VTA_ASSIGN_OR_RETURN(mlir::Type type, node.computedType(node.integer("output_datatype", 1)));
  const auto bins = static_cast<int64_t>(dft_length) / 2 + 1;
  const std::vector<int64_t> edges = melEdges(triangles, dft_length, rate, low, high);
  std::vector<double> weights(static_cast<size_t>(bins * triangles));
  const auto weight = [&](int64_t bin, int64_t triangle) -> double& {
    return weights[static_cast<size_t>(std::min(bin, bins - 1) * triangles + triangle)];
  };
  for (int64_t i = 0; i < triangles; ++i) {
    const int64_t begin = edges[i], peak = edges[i + 1], end = edges[i + 2];
    for (int64_t bin = begin; bin < peak; ++bin) {
      weight(bin, i) = static_cast<double>(bin - begin) / static_cast<double>(peak - begin);
    }
    weight(peak, i) = 1;
    for (int64_t bin = peak + 1; bin < end; ++bin) {
      weight(bin, i) = static_cast<double>(end - bin) / static_cast<double>(end - peak);
    }
  }
  return c.finish(c.numbers({bins, triangles}, weights, type));
}

}  // namespace

/// Sums of 2, 4, 8 ... neighbours.
Value prefixSums(Composer& c, Value input, int64_t axis) {
  const Shape shape = c.shape(input);
  for (int64_t step = 1; c.ok() && step < shape[axis]; step *= 2) {
    input = c.add(input, shifted(c, c.node(), input, axis, step));
  }
  return input;
}

std::span<const OpEntry> signalOps() {
  static constexpr OpEntry kOps[] = {
      {"BlackmanWindow", 17, kLatest, importWindow<kBlackman>},
      {"CumSum", 11, kLatest, importCumSum},
      {"HammingWindow", 17, kLatest, importWindow<kHamming>},
      {"HannWindow", 17, kLatest, importWindow<kHann>},
      {"MelWeightMatrix", 17, kLatest, importMelWeightMatrix},
      {"ReverseSequence", 10, kLatest, importReverseSequence},
  };
  return kOps;
}

}  // namespace vta::compiler
