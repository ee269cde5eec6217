// The simplest LOAD and STORE: elements that are next to each other in both memories.
#pragma once

#include <cstdint>

#include "isa/instruction/instruction.h"

namespace vta {

/// One row of `count` elements of `type`, from `sram` in the scratchpad and `dram` in DRAM, both in
/// elements.
inline MemInsn contiguousRow(MemoryType type, uint32_t sram, uint32_t dram, uint32_t count) {
  MemInsn mem;
  mem.memory_type = type;
  mem.sram_base = sram;
  mem.dram_base = dram;
  mem.y_size = 1;
  mem.x_size = count;
  mem.x_stride = count;
  return mem;
}

}  // namespace vta
