#include "sim/energy/energy_events.h"

#include <gtest/gtest.h>

#include <vector>

namespace vta::sim {
namespace {

// 1x16x16: elements of 16 (INP, OUT), 256 (WGT) and 64 bytes (ACC), micro-ops of 4, instructions
// of 16.
const HwConfig kHw = HwConfig::makeDefault();

MemInsn box(MemoryType type, uint32_t rows, uint32_t columns) {
  MemInsn mem;
  mem.memory_type = type;
  mem.y_size = rows;
  mem.x_size = mem.x_stride = columns;
  return mem;
}

template <typename Insn>
Insn loops(uint32_t uops, uint32_t outer, uint32_t inner) {
  Insn insn;
  insn.uop_bgn = 4;
  insn.uop_end = 4 + uops;
  insn.iter_out = outer;
  insn.iter_in = inner;
  return insn;
}

EnergyEvents eventsOf(const std::vector<Instruction>& program) {
  return countEnergyEvents(program, kHw);
}

TEST(EnergyEventsTest, InstructionsAreFetched) {
  const EnergyEvents events = eventsOf({Instruction::finish(), Instruction::finish()});
  EXPECT_EQ(events.dram_read_bytes, 32u);
  EXPECT_EQ(events.dram_write_bytes, 0u);
}

TEST(EnergyEventsTest, LoadsWritePaddingThatIsNotRead) {
  MemInsn mem = box(MemoryType::kInp, 3, 5);
  mem.x_pad_0 = 1;
  mem.y_pad_1 = 2;
  const EnergyEvents events = eventsOf({Instruction::load(mem)});
  EXPECT_EQ(events.dram_read_bytes, 16u + 15 * 16);
  EXPECT_EQ(events.inp.write_bits, 5u * 6 * 128);
  EXPECT_EQ(events.inp.read_bits, 0u);
}

TEST(EnergyEventsTest, TransposedWeightsAreWrittenLikeOthers) {
  const EnergyEvents plain = eventsOf({Instruction::load(box(MemoryType::kWgt, 2, 3))});
  const EnergyEvents turned = eventsOf({Instruction::load(box(MemoryType::kWgtTransposed, 2, 3))});
  EXPECT_EQ(turned.dram_read_bytes, 16u + 6 * 256);
  EXPECT_EQ(turned.wgt.write_bits, 6u * 2048);
  EXPECT_EQ(turned.wgt.write_bits, plain.wgt.write_bits);
}

TEST(EnergyEventsTest, HandoversReadOutAndNoMemory) {
  const EnergyEvents events = eventsOf({Instruction::load(box(MemoryType::kInpFromOut, 2, 3))});
  EXPECT_EQ(events.dram_read_bytes, 16u);  // the instruction
  EXPECT_EQ(events.out.read_bits, 6u * 128);
  EXPECT_EQ(events.inp.write_bits, 6u * 128);
}

TEST(EnergyEventsTest, AccumulatorsAreMirroredInOut) {
  const EnergyEvents full = eventsOf({Instruction::load(box(MemoryType::kAcc, 1, 2))});
  EXPECT_EQ(full.dram_read_bytes, 16u + 128);
  EXPECT_EQ(full.acc.write_bits, 2u * 512);
  EXPECT_EQ(full.out.write_bits, 2u * 128);
  const EnergyEvents narrow = eventsOf({Instruction::load(box(MemoryType::kAcc8, 1, 2))});
  EXPECT_EQ(narrow.dram_read_bytes, 16u + 32);
  EXPECT_EQ(narrow.acc.write_bits, 2u * 512);
}

TEST(EnergyEventsTest, StoresReadOut) {
  const EnergyEvents events = eventsOf({Instruction::store(box(MemoryType::kOut, 2, 3))});
  EXPECT_EQ(events.dram_write_bytes, 6u * 16);
  EXPECT_EQ(events.out.read_bits, 6u * 128);
}

TEST(EnergyEventsTest, GemmMultipliesUnlessItResets) {
  auto gemm = loops<GemmInsn>(2, 3, 5);
  const EnergyEvents events = eventsOf({Instruction::gemm(gemm)});
  EXPECT_EQ(events.macs, 30u * 256);
  EXPECT_EQ(events.uop.read_bits, (30u + 2) * 32);  // and the scan
  EXPECT_EQ(events.inp.read_bits, 30u * 128);
  EXPECT_EQ(events.wgt.read_bits, 30u * 2048);
  EXPECT_EQ(events.acc.read_bits, 30u * 512);
  EXPECT_EQ(events.acc.write_bits, 30u * 512);
  gemm.reset = true;
  const EnergyEvents reset = eventsOf({Instruction::gemm(gemm)});
  EXPECT_EQ(reset.macs, 0u);
  EXPECT_EQ(reset.wgt.read_bits, 0u);
  EXPECT_EQ(reset.acc.write_bits, 30u * 512);
}

TEST(EnergyEventsTest, AluOperationsDiffer) {
  auto alu = loops<AluInsn>(1, 1, 10);
  alu.alu_opcode = AluOpcode::kAdd;
  alu.use_imm = true;
  EXPECT_EQ(eventsOf({Instruction::alu(alu)}).alu_adds, 160u);
  EXPECT_EQ(eventsOf({Instruction::alu(alu)}).acc.read_bits, 10u * 512);
  alu.use_imm = false;
  EXPECT_EQ(eventsOf({Instruction::alu(alu)}).acc.read_bits, 20u * 512);
  alu.alu_opcode = AluOpcode::kClip;
  EXPECT_EQ(eventsOf({Instruction::alu(alu)}).alu_adds, 320u);
  alu.alu_opcode = AluOpcode::kQmul;
  EXPECT_EQ(eventsOf({Instruction::alu(alu)}).alu_multiplies, 160u);
  EXPECT_EQ(eventsOf({Instruction::alu(alu)}).alu_adds, 0u);
}

TEST(EnergyEventsTest, EmptyLoopsCostOnlyTheirFetch) {
  const EnergyEvents events = eventsOf({Instruction::gemm(loops<GemmInsn>(2, 0, 5)),
                                        Instruction::load(box(MemoryType::kWgt, 4, 0))});
  EXPECT_EQ(events.dram_read_bytes, 32u);
  EXPECT_EQ(events.uop.read_bits + events.wgt.write_bits + events.macs, 0u);
}

}  // namespace
}  // namespace vta::sim
