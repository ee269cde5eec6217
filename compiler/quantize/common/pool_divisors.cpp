#include "compiler/quantize/common/pool_divisors.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "compiler/dialects/graph/graph_builder.h"

namespace vta::compiler {

namespace {

/// How many elements each window has that count, along axis `d` of the image (0: rows).
std::vector<int64_t> countedAlong(graph::AvgPoolOp pool, size_t d) {
  const int64_t extent = graph::shapeOf(pool.getInput())[2 + d], low = pool.getPads()[d];
  const bool counts_pads = pool.getCountIncludePad();
  const int64_t first = counts_pads ? -low : 0;
  const int64_t end =
      counts_pads ? extent + pool.getPads()[2 + d] - pool.getCeilExtra()[d] : extent;
  std::vector<int64_t> counts;
  for (int64_t i = 0; i < graph::shapeOf(pool.getOutput())[2 + d]; ++i) {
    const int64_t start = i * pool.getStrides()[d] - low;
    counts.push_back(std::min(start + pool.getKernel()[d], end) - std::max(start, first));
  }
  return counts;
}

}  // namespace

std::optional<PoolDivisors> poolDivisors(graph::AvgPoolOp pool) {
  if (graph::shapeOf(pool.getInput()).size() != 4) return std::nullopt;
  std::vector<int64_t> divisors;
  for (const int64_t rows : countedAlong(pool, 0)) {
    for (const int64_t cols : countedAlong(pool, 1)) divisors.push_back(rows * cols);
  }
  const auto [least, largest] = std::minmax_element(divisors.begin(), divisors.end());
  if (*least <= 0) return std::nullopt;
  PoolDivisors out;
  for (const int64_t divisor : divisors) {
    out.common = std::lcm(out.common, divisor);
    if (out.common / *least > std::numeric_limits<int8_t>::max()) return std::nullopt;
  }
  if (*least == *largest) return out;
  for (const int64_t divisor : divisors) {
    out.factors.push_back(static_cast<int8_t>(out.common / divisor));
  }
  return out;
}

}  // namespace vta::compiler
