// LOAD of INP_FROM_OUT (extension `handover`): OUT as a row of elements of INP, as if it had been
// stored and were loaded. An element of OUT holds one or more of them.
#pragma once

#include <cstdint>

#include "isa/config/hw_config.h"
#include "isa/instruction/instruction.h"

namespace vta {

/// Elements of INP in an element of OUT; 0 where one of INP is larger.
inline uint32_t handoverParts(const HwConfig& hw) {
  return hw.elemBytes(MemoryType::kOut) / hw.elemBytes(MemoryType::kInp);
}

/// The element behind the last one that `mem`, a LOAD of INP_FROM_OUT, reads; 0 if it reads none.
inline uint64_t handoverEnd(const MemInsn& mem) {
  if (mem.x_size == 0 || mem.y_size == 0) return 0;
  return mem.dram_base + uint64_t{mem.y_size - 1} * mem.x_stride + mem.x_size;
}

/// Elements [begin, end) of OUT.
struct OutElems {
  uint32_t begin = 0, end = 0;
  uint32_t count() const { return end - begin; }
};

/// Those that row `y` of `mem` reads, which has data and is inside OUT.
inline OutElems handoverRow(const MemInsn& mem, uint32_t y, const HwConfig& hw) {
  const uint32_t parts = handoverParts(hw);
  const uint32_t first = mem.dram_base + y * mem.x_stride;
  return {first / parts, (first + mem.x_size - 1) / parts + 1};
}

/// Elements of INP that OUT holds.
inline uint64_t handoverDepth(const HwConfig& hw) {
  return uint64_t{hw.depthElems(MemoryType::kOut)} * handoverParts(hw);
}

}  // namespace vta
