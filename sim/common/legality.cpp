#include "sim/common/legality.h"

#include "isa/instruction/legality.h"

namespace vta::sim {
namespace {

uint32_t uopEnd(const Instruction& insn) {
  if (insn.opcode == Opcode::kGemm) return insn.gemm().uop_end;
  return insn.opcode == Opcode::kAlu ? insn.alu().uop_end : 0;
}

}  // namespace

std::optional<Violation> checkLegality(const Instruction& insn, const HwConfig& hw) {
  // Micro-ops past their buffer are a fault of bounds, which `check` of the engines reports.
  if (uopEnd(insn) > hw.depthElems(MemoryType::kUop)) return std::nullopt;
  const Status status = checkInstruction(insn, hw);
  if (status.ok()) return std::nullopt;
  return Violation{FaultKind::kIllegalInstruction, status.message()};
}

}  // namespace vta::sim
