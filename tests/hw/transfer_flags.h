// What vta_bounds says of a LOAD or STORE, for units that are tested without it.
#pragma once

#include <cstdint>

#include "isa/config/hw_config.h"
#include "isa/instruction/handover.h"
#include "isa/instruction/instruction.h"

namespace vta::hw::test {

/// The bits above a command's number: bit 0 it has data, bit 1 it leaves its scratchpad.
inline uint32_t transferFlags(Opcode opcode, const MemInsn& mem, const HwConfig& hw) {
  if (mem.x_size == 0) return 0;
  uint64_t rows = mem.y_size;
  uint64_t columns = mem.x_size;
  if (opcode == Opcode::kLoad) {
    rows += mem.y_pad_0 + mem.y_pad_1;
    columns += mem.x_pad_0 + mem.x_pad_1;
  }
  const bool past_source = isOnChip(mem.memory_type) && handoverEnd(mem) > handoverDepth(hw);
  const bool past_end =
      past_source || mem.sram_base + rows * columns > hw.depthElems(mem.memory_type);
  return (mem.y_size != 0 ? 1 : 0) | (past_end ? 2 : 0);
}

}  // namespace vta::hw::test
