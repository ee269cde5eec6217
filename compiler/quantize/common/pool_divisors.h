// What average pooling divides by.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/dialects/graph/graph.h"

namespace vta::compiler {

/// Window p of a pooling has the divisor `common / factors[p]`.
struct PoolDivisors {
  int64_t common = 1;
  std::vector<int8_t> factors;  // one per output pixel, row by row; empty if all are 1
};

/// None if a factor would not fit int8: windows of many sizes at the borders, or an empty window.
std::optional<PoolDivisors> poolDivisors(graph::AvgPoolOp pool);

}  // namespace vta::compiler
