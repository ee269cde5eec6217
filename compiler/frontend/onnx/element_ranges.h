// What is known of integers that are computed: sizes of results, positions, shapes.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/Value.h"

namespace vta::compiler {

/// The least and the largest value that a number may have.
struct Range {
  int64_t low = std::numeric_limits<int64_t>::min();
  int64_t high = std::numeric_limits<int64_t>::max();

  static Range exactly(int64_t value) { return {value, value}; }
  bool isExact() const { return low == high; }
  bool hasMost() const { return high != std::numeric_limits<int64_t>::max(); }
};

/// The ranges of the elements of `value`, in row-major order. `most` has values, 0-D i64, that are
/// from 0 to a known number. Empty for tensors that are no integers, or too large to be a shape.
std::vector<Range> elementRanges(mlir::Value value,
                                 const llvm::DenseMap<mlir::Value, int64_t>& most);

}  // namespace vta::compiler
