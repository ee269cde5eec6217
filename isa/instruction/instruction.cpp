#include "isa/instruction/instruction.h"

#include <iterator>

namespace vta {

std::string_view opcodeName(Opcode opcode) {
  constexpr std::string_view kNames[] = {"LOAD", "STORE", "GEMM", "FINISH", "ALU"};
  const auto i = static_cast<size_t>(opcode);
  return i < std::size(kNames) ? kNames[i] : "illegal";
}

std::string_view unitName(Unit unit) {
  constexpr std::string_view kNames[] = {"load", "compute", "store"};
  return kNames[static_cast<size_t>(unit)];
}

Unit Instruction::unit() const {
  if (opcode == Opcode::kStore) return Unit::kStore;
  if (opcode != Opcode::kLoad) return Unit::kCompute;
  const MemoryType scratchpad = scratchpadOf(mem().memory_type);
  const bool is_operand = scratchpad == MemoryType::kInp || scratchpad == MemoryType::kWgt;
  return is_operand ? Unit::kLoad : Unit::kCompute;
}

}  // namespace vta
