// Multipliers that are wrong, on the functional simulator.
#pragma once

#include "isa/instruction/instruction.h"
#include "sim/board/board_core.h"
#include "sim/functional/functional_model.h"

namespace vta::sim {

/// Puts the fault into the accumulators if `insn`, which has just been executed, multiplies.
inline void applyFault(const ArithmeticFault& fault, const Instruction& insn, const HwConfig& hw,
                       FunctionalModel& model) {
  if (insn.opcode != Opcode::kGemm || !insn.gemm().readsOperands()) return;
  Scratchpads& pads = model.scratchpads();
  const uint32_t element = fault.acc_element % hw.depthElems(MemoryType::kAcc);
  int32_t& lane = pads.acc(element)[fault.lane % pads.accElemLanes()];
  lane = static_cast<int32_t>(static_cast<uint32_t>(lane) + (uint32_t{1} << fault.bit % 32));
  pads.wrapAcc(&lane, 1);
}

}  // namespace vta::sim
