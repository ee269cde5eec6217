// Small legal programs for tests.
#pragma once

#include <string>

#include "isa/config/hw_config.h"
#include "isa/instruction/contiguous_row.h"
#include "isa/program/program.h"

namespace vta::test {

/// Adds instructions to a program together with their relocations.
class ProgramBuilder {
 public:
  explicit ProgramBuilder(const HwConfig& hw) {
    program.hw_fingerprint = hw.fingerprint();
    program.encoding = hw.encoding();
  }

  uint32_t buffer(std::string name, BufferKind kind, uint64_t size_bytes) {
    program.buffers.push_back({std::move(name), kind, size_bytes, 256});
    return static_cast<uint32_t>(program.buffers.size() - 1);
  }

  /// One row of `count` elements of `type`, contiguous in both memories.
  static MemInsn row(MemoryType type, uint32_t sram, uint32_t dram, uint32_t count) {
    return contiguousRow(type, sram, dram, count);
  }

  uint32_t load(const MemInsn& mem, uint32_t buffer, Tokens tokens = {}) {
    return addMem(Instruction::load(mem, tokens), buffer);
  }
  uint32_t store(const MemInsn& mem, uint32_t buffer, Tokens tokens = {}) {
    return addMem(Instruction::store(mem, tokens), buffer);
  }
  uint32_t add(const Instruction& insn) {
    program.instructions.push_back(insn);
    return static_cast<uint32_t>(program.instructions.size() - 1);
  }

  Program program;

 private:
  uint32_t addMem(const Instruction& insn, uint32_t buffer) {
    const uint32_t at = add(insn);
    const bool has_data = insn.mem().x_size > 0 && !isOnChip(insn.mem().memory_type);
    if (has_data) program.relocations.push_back({at, buffer});
    return at;
  }
};

/// `count` ACC elements: loads one INP and WGT tile, GEMM with reset, GEMM, ALU shift, store.
/// Legal, and inside the 0.0.2 subset. Instruction numbers: 0 UOP, 1 INP, 2 WGT, 3 reset, 4 GEMM, 5
/// SHR, 6 STORE, 7 FINISH.
inline Program gemmProgram(const HwConfig& hw, uint32_t count = 4, const std::string& prefix = "") {
  ProgramBuilder b(hw);
  b.program.uops = {{0, 0, 0}};
  const uint32_t uop = b.buffer("uop", BufferKind::kUop, hw.uopBytes());
  const uint32_t inp =
      b.buffer(prefix + "inp", BufferKind::kInput, count * hw.elemBytes(MemoryType::kInp));
  const uint32_t wgt =
      b.buffer(prefix + "wgt", BufferKind::kConstant, hw.elemBytes(MemoryType::kWgt));
  const uint32_t out =
      b.buffer(prefix + "out", BufferKind::kOutput, count * hw.elemBytes(MemoryType::kOut));
  b.load(ProgramBuilder::row(MemoryType::kUop, 0, 0, 1), uop);
  b.load(ProgramBuilder::row(MemoryType::kInp, 0, 0, count), inp);
  b.load(ProgramBuilder::row(MemoryType::kWgt, 0, 0, 1), wgt, {.push_next = true});
  GemmInsn gemm{.reset = true, .uop_end = 1, .iter_out = 1, .iter_in = count, .dst_factor_in = 1};
  b.add(Instruction::gemm(gemm));
  gemm.reset = false;
  gemm.src_factor_in = 1;
  b.add(Instruction::gemm(gemm, {.pop_prev = true}));
  AluInsn shr{.alu_opcode = AluOpcode::kShr,
              .use_imm = true,
              .imm = 4,
              .uop_end = 1,
              .iter_out = 1,
              .iter_in = count,
              .dst_factor_in = 1,
              .src_factor_in = 1};
  b.add(Instruction::alu(shr, {.push_next = true}));
  b.store(ProgramBuilder::row(MemoryType::kOut, 0, 0, count), out,
          {.pop_prev = true, .push_prev = true});
  b.add(Instruction::finish({.pop_next = true}));
  b.program.symbols = {{0, prefix + "gemm"}};
  return b.program;
}

}  // namespace vta::test
