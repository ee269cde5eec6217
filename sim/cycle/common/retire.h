// Rules that every unit follows at the start and the end of an instruction.
#pragma once

#include <cstdint>

#include "isa/instruction/handover.h"
#include "sim/cycle/common/context.h"
#include "sim/functional/dma_engine.h"

namespace vta::sim::cycle {

/// True when a LOAD or STORE uses elements past the end of a scratchpad.
inline bool leavesScratchpad(const HwConfig& hw, Opcode opcode, const MemInsn& mem) {
  if (isOnChip(mem.memory_type) && handoverEnd(mem) > handoverDepth(hw)) return true;
  return mem.x_size != 0 && mem.sram_base + sramElems(opcode, mem) > hw.depthElems(mem.memory_type);
}

/// `number` retires in `cycle`: counts it, pushes its tokens, reports an overflow.
inline void retireInstruction(Context& context, UnitCounters& timing, uint32_t number,
                              uint64_t cycle) {
  const uint8_t pushes = context.stream.tokens[number].pushes;
  context.recordRetire(number, cycle);
  // "Counters": the units other than fetch count retirements.
  if (cycle <= context.limit) ++timing.instructions;
  if (pushes == 0) return;
  // "Tokens": pushed in the cycle in which the instruction retires.
  context.tokens.push(pushes, cycle);
  if (context.tokens.mayOverflow(pushes)) context.suspects.push_back({number, cycle});
}

}  // namespace vta::sim::cycle
