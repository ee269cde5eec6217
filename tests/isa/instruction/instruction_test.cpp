#include "isa/instruction/instruction.h"

#include <gtest/gtest.h>

namespace vta {
namespace {

MemInsn memOf(MemoryType type) {
  MemInsn mem;
  mem.memory_type = type;
  return mem;
}

TEST(Instruction, LoadsOfInputsAndWeightsGoToTheLoadUnit) {
  EXPECT_EQ(Instruction::load(memOf(MemoryType::kInp)).unit(), Unit::kLoad);
  EXPECT_EQ(Instruction::load(memOf(MemoryType::kWgt)).unit(), Unit::kLoad);
  EXPECT_EQ(Instruction::load(memOf(MemoryType::kWgtTransposed)).unit(), Unit::kLoad);
  EXPECT_EQ(Instruction::load(memOf(MemoryType::kInpFromOut)).unit(), Unit::kLoad);
}

TEST(Instruction, OtherLoadsAndArithmeticGoToTheComputeUnit) {
  EXPECT_EQ(Instruction::load(memOf(MemoryType::kUop)).unit(), Unit::kCompute);
  EXPECT_EQ(Instruction::load(memOf(MemoryType::kAcc)).unit(), Unit::kCompute);
  EXPECT_EQ(Instruction::load(memOf(MemoryType::kAcc8)).unit(), Unit::kCompute);
  EXPECT_EQ(Instruction::gemm({}).unit(), Unit::kCompute);
  EXPECT_EQ(Instruction::alu({}).unit(), Unit::kCompute);
  EXPECT_EQ(Instruction::finish().unit(), Unit::kCompute);
}

TEST(Instruction, StoresGoToTheStoreUnit) {
  EXPECT_EQ(Instruction::store(memOf(MemoryType::kOut)).unit(), Unit::kStore);
}

TEST(Instruction, NamesAreTheManualsAndUnknownCodesSaySo) {
  EXPECT_EQ(opcodeName(Opcode::kFinish), "FINISH");
  EXPECT_EQ(opcodeName(static_cast<Opcode>(6)), "illegal");
  EXPECT_EQ(aluOpcodeName(AluOpcode::kQmul), "QMUL");
  EXPECT_EQ(aluOpcodeName(static_cast<AluOpcode>(7)), "illegal");
  EXPECT_EQ(memoryTypeName(MemoryType::kAcc8), "ACC_8BIT");
  EXPECT_EQ(memoryTypeName(MemoryType::kWgtTransposed), "WGT_TRANSPOSED");
  EXPECT_EQ(memoryTypeName(MemoryType::kInpFromOut), "INP_FROM_OUT");
  EXPECT_EQ(memoryTypeName(static_cast<MemoryType>(8)), "illegal");
  EXPECT_EQ(unitName(Unit::kStore), "store");
}

}  // namespace
}  // namespace vta
