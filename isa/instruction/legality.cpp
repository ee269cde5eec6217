#include "isa/instruction/legality.h"

#include <fmt/format.h>

#include "program/text/assembler_syntax.h"

namespace vta {
namespace {

constexpr int kMaxQmulShift = 62;

Status checkTokens(const Instruction& insn) {
  const Tokens& t = insn.tokens;
  const Unit unit = insn.unit();
  if (unit == Unit::kLoad && (t.pop_prev || t.push_prev)) {
    return invalidArgument("the load unit has no previous unit to exchange tokens with");
  }
  if (unit == Unit::kStore && (t.pop_next || t.push_next)) {
    return invalidArgument("the store unit has no next unit to exchange tokens with");
  }
  return {};
}

Status checkMemoryType(const Instruction& insn) {
  const bool is_out = insn.mem().memory_type == MemoryType::kOut;
  if (insn.opcode == Opcode::kLoad && is_out) {
    return invalidArgument("LOAD cannot address OUT; legal: UOP, WGT, INP, ACC, ACC_8BIT");
  }
  if (insn.opcode == Opcode::kStore && !is_out) {
    return invalidArgument(
        fmt::format("STORE cannot address {}; legal: OUT", memoryTypeName(insn.mem().memory_type)));
  }
  return {};
}

Status checkUopRange(uint32_t end, const HwConfig& hw) {
  const uint32_t depth = hw.depthElems(MemoryType::kUop);
  if (end <= depth) return {};
  return invalidArgument(
      fmt::format("uop_end is {}; the micro-op buffer holds {} micro-ops", end, depth));
}

Status checkAlu(const AluInsn& alu) {
  if (alu.alu_opcode == AluOpcode::kQmul) {
    if (alu.use_imm) return invalidArgument("QMUL has no immediate operand; use_imm must be 0");
    if (alu.imm < 0 || alu.imm > kMaxQmulShift) {
      return invalidArgument(
          fmt::format("QMUL shifts by {}; legal: 0 to {}", alu.imm, kMaxQmulShift));
    }
  }
  if (alu.alu_opcode == AluOpcode::kClip) {
    if (!alu.use_imm) return invalidArgument("CLIP needs its immediate; use_imm must be 1");
    if (syntax::clipLow(alu.imm) > syntax::clipHigh(alu.imm)) {
      return invalidArgument(fmt::format("CLIP to an empty range: {} to {}",
                                         syntax::clipLow(alu.imm), syntax::clipHigh(alu.imm)));
    }
  }
  return {};
}

}  // namespace

Status checkInstruction(const Instruction& insn, const HwConfig& hw) {
  VTA_RETURN_IF_ERROR(checkTokens(insn));
  if (std::holds_alternative<MemInsn>(insn.body)) return checkMemoryType(insn);
  if (const auto* gemm = std::get_if<GemmInsn>(&insn.body)) return checkUopRange(gemm->uop_end, hw);
  if (const auto* alu = std::get_if<AluInsn>(&insn.body)) {
    VTA_RETURN_IF_ERROR(checkUopRange(alu->uop_end, hw));
    return checkAlu(*alu);
  }
  return {};
}

}  // namespace vta
