// Random legal configurations and instructions for round-trip tests.
#pragma once

#include <random>

#include "isa/config/hw_config.h"
#include "isa/config/large_elements.h"
#include "isa/config/random_params.h"
#include "isa/config/whole_operands.h"
#include "isa/instruction/encoding.h"
#include "isa/instruction/field_table.h"
#include "isa/instruction/instruction.h"

namespace vta::test {

using Rng = std::mt19937;

inline int64_t uniform(Rng& rng, int64_t min, int64_t max) {
  return std::uniform_int_distribution<int64_t>(min, max)(rng);
}

/// A legal configuration of either encoding, with a random subset of the extensions.
inline HwConfig randomConfig(Rng& rng) {
  for (;;) {
    HwParams p = drawHwParams([&](int64_t min, int64_t max) { return uniform(rng, min, max); },
                              enlargeSomeElements);
    p.batch = 1 << uniform(rng, 0, 3);
    p.block_in = 1 << uniform(rng, 1, 6);
    p.block_out = 1 << uniform(rng, 1, 6);
    widenSomeOperands(p, [&](int64_t min, int64_t max) { return uniform(rng, min, max); });
    const UniformNumber number = [&](int64_t min, int64_t max) { return uniform(rng, min, max); };
    const auto size = [&](int least_log2, int most_log2) {
      const int64_t power = int64_t{1} << uniform(rng, least_log2, most_log2);
      return static_cast<uint64_t>(leaveOutSome(power, number));
    };
    p.uop_buf_bytes = size(4, 18);
    p.inp_buf_bytes = size(6, 20);
    p.wgt_buf_bytes = size(8, 24);
    p.acc_buf_bytes = size(8, 22);
    if (Result<HwConfig> hw = HwConfig::create(p); hw.ok()) return *hw;
  }
}

/// An instruction with every field random over its whole range, illegal codes excepted.
inline Instruction randomInstruction(Rng& rng, const HwConfig& hw) {
  Instruction insn;
  switch (uniform(rng, 0, 4)) {
    case 0:
      insn = Instruction::load({});
      break;
    case 1:
      insn = Instruction::store({});
      break;
    case 2:
      insn = Instruction::gemm({});
      break;
    case 3:
      insn = Instruction::alu({});
      break;
    default:
      insn = Instruction::finish();
      break;
  }
  detail::forEachField(insn.opcode, hw, [&](const detail::InsnField& field, int, int width_bits) {
    int64_t min = field.is_signed ? -(int64_t{1} << (width_bits - 1)) : 0;
    int64_t max = (int64_t{1} << (field.is_signed ? width_bits - 1 : width_bits)) - 1;
    if (field.name == "opcode") return true;
    if (field.name == "memory_type") {
      max = static_cast<int>(MemoryType::kAcc8);
      const auto type = static_cast<MemoryType>(uniform(rng, 0, kMemoryTypeCount - 1));
      if (hasMemory(hw.params(), memoryInfo(type))) min = max = static_cast<int>(type);
    }
    if (field.name == "pad_kind") max = hw.params().ext_pad_min ? 1 : 0;
    if (field.name == "alu_page") max = 0;
    if (field.name == "depthwise") max = 0;
    if (field.name == "alu_opcode") max = static_cast<int>(AluOpcode::kMul);
    field.set(insn, uniform(rng, min, max));
    return true;
  });
  if (auto* gemm = std::get_if<GemmInsn>(&insn.body);
      gemm != nullptr && hw.params().ext_depthwise && uniform(rng, 0, 1) == 0) {
    gemm->depthwise = true;
    gemm->taps = static_cast<uint32_t>(uniform(rng, 1, hw.params().depthwise_taps));
    gemm->iter_in &= (1u << 11) - 1;
  }
  if (auto* alu = std::get_if<AluInsn>(&insn.body); alu != nullptr && uniform(rng, 0, 3) == 0) {
    for (const AluOperation& operation : kAluOperations) {
      const bool is_there =
          operation.extension != nullptr && hasAluOperation(hw.params(), operation);
      if (is_there && uniform(rng, 0, 1) == 0) alu->alu_opcode = operation.opcode;
    }
  }
  return insn;
}

inline Uop randomUop(Rng& rng, const HwConfig& hw) {
  Uop uop;
  detail::forEachUopField(hw, [&](const detail::UopField& field, int, int width_bits) {
    field.set(uop, uniform(rng, 0, (int64_t{1} << width_bits) - 1));
    return true;
  });
  return uop;
}

}  // namespace vta::test
