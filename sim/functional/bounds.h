// Index checks that GEMM and ALU share. Factors and indexes are never negative, so the largest
// index of a loop nest is that of its last iteration.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "isa/config/hw_config.h"
#include "sim/common/violation.h"

namespace vta::sim {

/// Iterations of the two loops, at least 1 each.
struct LoopBounds {
  uint32_t iter_out = 1;
  uint32_t iter_in = 1;
};

/// How an instruction indexes one SRAM.
struct IndexUse {
  MemoryType memory = MemoryType::kAcc;  ///< that is indexed
  std::string_view operand;              ///< "dst", "src", "wgt"
  uint32_t max_uop_index = 0;            ///< the largest index in the micro-ops
  uint32_t factor_out = 0;               ///< elements that the outer loop adds in each iteration
  uint32_t factor_in = 0;                ///< elements that the inner loop adds in each iteration
  uint32_t width = 1;                    ///< elements from the index on
};

/// Nothing, or the violation that the largest index of the loops is past the memory's last element.
inline std::optional<Violation> checkIndexes(const IndexUse& use, const LoopBounds& bounds,
                                             const HwConfig& hw) {
  const uint64_t max_index = use.max_uop_index + uint64_t{bounds.iter_out - 1} * use.factor_out +
                             uint64_t{bounds.iter_in - 1} * use.factor_in + use.width - 1;
  const uint32_t depth = hw.depthElems(use.memory);
  if (max_index < depth) return std::nullopt;
  return Violation{FaultKind::kSramBounds,
                   fmt::format("its {} index reaches {}, but the {} buffer has {} elements",
                               use.operand, max_index, memoryTypeName(use.memory), depth)};
}

/// Nothing, or the violation that micro-op memory has fewer than `uop_end` micro-ops.
inline std::optional<Violation> checkUopRange(uint32_t uop_end, const HwConfig& hw) {
  const uint32_t depth = hw.depthElems(MemoryType::kUop);
  if (uop_end <= depth) return std::nullopt;
  return Violation{
      FaultKind::kSramBounds,
      fmt::format("uop_end is {}, but the UOP buffer has {} elements", uop_end, depth)};
}

}  // namespace vta::sim
