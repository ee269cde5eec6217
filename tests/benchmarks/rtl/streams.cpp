#include "tests/benchmarks/rtl/streams.h"

#include <algorithm>

namespace vta::bench {
namespace {

constexpr uint32_t kColumns = 14;
constexpr uint32_t kRows = 14;
// Of the 448 cycles of a GEMM instruction; instructions need beats too.
constexpr uint32_t kBeatsBesideGemm = 432;

MemInsn block(MemoryType type, uint32_t rows, uint32_t columns) {
  MemInsn mem;
  mem.memory_type = type;
  mem.y_size = rows;
  mem.x_size = columns;
  mem.x_stride = 2 * columns;
  return mem;
}

/// As many rows as the scratchpad holds, at most `rows`.
MemInsn fittingBlock(MemoryType type, uint32_t rows, uint32_t columns, const HwConfig& hw) {
  return block(type, std::min(rows, hw.depthElems(type) / columns), columns);
}

Instruction loadUops() { return Instruction::load(block(MemoryType::kUop, 1, 8)); }

// Every instruction walks 8 x 14 accumulators; neighbours are 1 apart, as in a convolution.
GemmInsn gemmOfTile() {
  GemmInsn gemm;
  gemm.uop_end = 4;
  gemm.iter_out = 8;
  gemm.iter_in = kColumns;
  gemm.dst_factor_out = kColumns;
  gemm.dst_factor_in = 1;
  gemm.src_factor_out = 16;
  gemm.src_factor_in = 1;
  return gemm;
}

AluInsn aluOfTile() {
  AluInsn alu;
  alu.alu_opcode = AluOpcode::kAdd;
  alu.use_imm = true;
  alu.imm = 3;
  alu.uop_end = 1;
  alu.iter_out = 8;
  alu.iter_in = kColumns;
  alu.dst_factor_out = kColumns;
  alu.dst_factor_in = 1;
  return alu;
}

Instruction loadOf(std::string_view kind, const HwConfig& hw) {
  if (kind == "load_inp") {
    return Instruction::load(fittingBlock(MemoryType::kInp, kRows, kColumns, hw));
  }
  if (kind == "load_wgt") return Instruction::load(fittingBlock(MemoryType::kWgt, 9, 8, hw));
  if (kind == "load_uop") return Instruction::load(block(MemoryType::kUop, 1, 256));
  const MemoryType type = kind == "load_acc" ? MemoryType::kAcc : MemoryType::kAcc8;
  return Instruction::load(fittingBlock(type, kRows, kColumns, hw));
}

/// Transfers of `type` that together take almost as many beats as a GEMM instruction takes cycles.
std::vector<Instruction> transfersBesideGemm(MemoryType type, const HwConfig& hw) {
  const uint32_t beat_bytes = static_cast<uint32_t>(hw.params().axi_data_width_bits) / 8;
  const uint32_t elem_bytes = static_cast<uint32_t>(hw.elemBytes(type));
  uint32_t left = kBeatsBesideGemm * beat_bytes / elem_bytes;
  std::vector<Instruction> transfers;
  while (left > 0) {
    const uint32_t elems = std::min(left, hw.depthElems(type));
    const MemInsn mem = block(type, 1, elems);
    transfers.push_back(type == MemoryType::kOut ? Instruction::store(mem)
                                                 : Instruction::load(mem));
    left -= elems;
  }
  return transfers;
}

std::vector<Instruction> mixedGroup(const HwConfig& hw) {
  std::vector<Instruction> group = {Instruction::gemm(gemmOfTile())};
  for (const MemoryType type : {MemoryType::kInp, MemoryType::kOut}) {
    const std::vector<Instruction> transfers = transfersBesideGemm(type, hw);
    group.insert(group.end(), transfers.begin(), transfers.end());
  }
  return group;
}

}  // namespace

std::vector<Instruction> streamOf(std::string_view kind, const HwConfig& hw) {
  std::vector<Instruction> program;
  const auto add = [&](int count, const std::vector<Instruction>& instructions) {
    for (int i = 0; i < count; ++i) {
      program.insert(program.end(), instructions.begin(), instructions.end());
    }
  };
  if (kind == "gemm") {
    add(1, {loadUops()});
    add(300, {Instruction::gemm(gemmOfTile())});
  } else if (kind == "alu") {
    add(1, {loadUops()});
    add(600, {Instruction::alu(aluOfTile())});
  } else if (kind == "mixed") {
    add(1, {loadUops()});
    add(300, mixedGroup(hw));
  } else if (kind == "store") {
    add(100, {Instruction::store(fittingBlock(MemoryType::kOut, kRows, kColumns, hw))});
  } else {
    add(100, {loadOf(kind, hw)});
  }
  add(1, {Instruction::finish()});
  return program;
}

}  // namespace vta::bench
