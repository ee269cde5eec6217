#include "compiler/quantize/common/output_parts.h"

#include <algorithm>

#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/graph/graph_builder.h"
#include "compiler/dialects/graph/shapes.h"

namespace vta::compiler {
namespace {

using mlir::Value;

/// The steps of an unrolled loop are no parts that each count by themselves.
constexpr int kMostParts = 64;

std::vector<int> findParts(Value value, int& count);

std::vector<int> joinedParts(graph::ConcatOp concat, int& count) {
  const auto axis = static_cast<size_t>(concat.getAxis());
  const int64_t outer = graph::elementCount(graph::shapeOf(concat.getResult()).first(axis));
  std::vector<std::vector<int>> joined;
  for (Value operand : concat.getOperands()) joined.push_back(findParts(operand, count));
  std::vector<int> parts;
  for (int64_t row = 0; row < outer; ++row) {
    for (const std::vector<int>& one : joined) {
      const auto inner = static_cast<int64_t>(one.size()) / outer;
      parts.insert(parts.end(), one.begin() + row * inner, one.begin() + (row + 1) * inner);
    }
  }
  return parts;
}

std::vector<int> transposedParts(graph::TransposeOp transpose, int& count) {
  const std::vector<int> before = findParts(transpose.getInput(), count);
  const graph::ShapeRef from = graph::shapeOf(transpose.getInput());
  const graph::ShapeRef to = graph::shapeOf(transpose.getResult());
  const size_t rank = to.size();
  std::vector<int64_t> strides(rank), index(rank, 0);
  for (size_t d = 0; d < rank; ++d) {
    const auto axis = static_cast<size_t>(transpose.getPermutation()[d]);
    strides[d] = graph::elementCount(from.subspan(axis + 1));
  }
  std::vector<int> parts;
  parts.reserve(before.size());
  int64_t place = 0;
  for (size_t i = 0; i < before.size(); ++i) {
    parts.push_back(before[static_cast<size_t>(place)]);
    for (size_t d = rank; d-- > 0;) {
      place += strides[d];
      if (++index[d] < to[d]) break;
      place -= strides[d] * to[d];
      index[d] = 0;
    }
  }
  return parts;
}

std::vector<int> findParts(Value value, int& count) {
  if (auto concat = value.getDefiningOp<graph::ConcatOp>()) return joinedParts(concat, count);
  if (auto reshape = value.getDefiningOp<graph::ReshapeOp>()) {
    return findParts(reshape.getInput(), count);
  }
  if (auto transpose = value.getDefiningOp<graph::TransposeOp>()) {
    return transposedParts(transpose, count);
  }
  return std::vector<int>(static_cast<size_t>(graph::elementCount(graph::shapeOf(value))), count++);
}

}  // namespace

OutputParts partsOf(Value output) {
  int count = 0;
  std::vector<int> part_of = findParts(output, count);
  if (count < 2 || count > kMostParts) return {};
  return {count, std::move(part_of)};
}

double noiseOverSignal(std::span<const float> exact, std::span<const float> values,
                       const OutputParts& parts) {
  // A part that is zero throughout has no signal of its own to be compared with.
  constexpr double kLeastShare = 1e-12;
  struct Sums {
    double signal = 0, noise = 0;
  };
  std::vector<Sums> sums(static_cast<size_t>(parts.count));
  double total = 1e-30;
  for (size_t i = 0; i < values.size(); ++i) {
    Sums& part = sums[parts.part_of.empty() ? 0 : static_cast<size_t>(parts.part_of[i])];
    const double real = exact[i], difference = values[i] - real;
    part.signal += real * real;
    part.noise += difference * difference;
    total += real * real;
  }
  double error = 0;
  for (const Sums& part : sums) {
    error += part.noise / std::max(part.signal, kLeastShare * total);
  }
  return error / static_cast<double>(sums.size());
}

}  // namespace vta::compiler
