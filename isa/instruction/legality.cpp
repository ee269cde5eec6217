#include "isa/instruction/legality.h"

#include <fmt/format.h>

#include <string>

#include "isa/spec/parameters.h"
#include "isa/spec/user_operation.h"

namespace vta {
namespace {

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

// "UOP, WGT, ..., INP_FROM_OUT with extension handover".
std::string loadedMemories() {
  std::string names;
  for (const MemoryInfo& memory : memories()) {
    if (memory.type == MemoryType::kOut) continue;
    if (!names.empty()) names += ", ";
    names += memory.name;
    if (memory.extension == nullptr) continue;
    names += fmt::format(" with extension {}", extensionName(memory.extension));
  }
  return names;
}

Status checkMemoryType(const Instruction& insn) {
  const bool is_out = insn.mem().memory_type == MemoryType::kOut;
  if (insn.opcode == Opcode::kLoad && is_out) {
    return invalidArgument(fmt::format("LOAD cannot address OUT; legal: {}", loadedMemories()));
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

Status checkAlu(const AluInsn& alu, const HwConfig& hw) {
  const AluOperation* const operation = findAluOperation(hw.params(), alu.alu_opcode);
  if (operation == nullptr) return {};
  const std::string_view name = operation->name;
  if (alu.use_imm &&
      (operation->operand == AluOperand::kTensor || operation->operand == AluOperand::kPair)) {
    return invalidArgument(fmt::format("{} has no immediate operand; use_imm must be 0", name));
  }
  if (!alu.use_imm && operation->operand == AluOperand::kImmediate) {
    return invalidArgument(fmt::format("{} needs its immediate; use_imm must be 1", name));
  }
  return checkAluImmediate(*operation, alu.imm);
}

}  // namespace

Status checkAluImmediate(const AluOperation& operation, int32_t imm) {
  switch (operation.immediate) {
    case AluImmediate::kNumber:
      break;  // every number that the field holds
    case AluImmediate::kShift:
      if (imm >= 0 && imm <= kMaxAluShift) break;
      return invalidArgument(
          fmt::format("{} shifts by {}; legal: 0 to {}", operation.name, imm, kMaxAluShift));
    case AluImmediate::kZero:
      if (imm == 0) break;
      return invalidArgument(
          fmt::format("{} has an immediate of {}; legal: 0", operation.name, imm));
    case AluImmediate::kByteRange: {
      const ByteRange range = byteRangeOf(imm);
      if (range.low <= range.high) break;
      return invalidArgument(
          fmt::format("{} to an empty range: {} to {}", operation.name, range.low, range.high));
    }
  }
  return {};
}

Status checkInstruction(const Instruction& insn, const HwConfig& hw) {
  VTA_RETURN_IF_ERROR(checkTokens(insn));
  if (std::holds_alternative<MemInsn>(insn.body)) return checkMemoryType(insn);
  if (const auto* gemm = std::get_if<GemmInsn>(&insn.body)) return checkUopRange(gemm->uop_end, hw);
  if (const auto* alu = std::get_if<AluInsn>(&insn.body)) {
    VTA_RETURN_IF_ERROR(checkUopRange(alu->uop_end, hw));
    return checkAlu(*alu, hw);
  }
  return {};
}

}  // namespace vta
