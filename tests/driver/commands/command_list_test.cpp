#include "driver/commands/command_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "driver/device_registry.h"
#include "driver/run_program.h"
#include "isa/program/text/assembler.h"

namespace vta::driver {
namespace {

using testing::HasSubstr;
using testing::Not;

class CommandListTest : public testing::Test {
 protected:
  MemInsn row(MemoryType type, uint32_t sram, uint32_t dram, uint32_t count) const {
    MemInsn mem;
    mem.memory_type = type;
    mem.sram_base = sram;
    mem.dram_base = dram;
    mem.y_size = 1;
    mem.x_size = mem.x_stride = count;
    return mem;
  }
  static AluInsn add(int32_t immediate, uint32_t count) {
    AluInsn alu;
    alu.alu_opcode = AluOpcode::kAdd;
    alu.use_imm = true;
    alu.imm = immediate;
    alu.iter_out = count;
    alu.iter_in = 1;
    alu.dst_factor_out = alu.src_factor_out = 1;
    return alu;
  }
  static void expectOk(const Status& status) { EXPECT_TRUE(status.ok()) << status.message(); }

  /// y = x + 5 + 6, on `count` elements of ACC.
  void addEleven(uint32_t count) {
    const uint32_t x = list_.addBuffer("x", uint64_t{count} * hw_.elemBytes(MemoryType::kAcc));
    const uint32_t y = list_.addBuffer("y", uint64_t{count} * hw_.elemBytes(MemoryType::kOut));
    expectOk(list_.transfer(row(MemoryType::kAcc, 0, 0, count), x));
    expectOk(list_.alu(add(5, count), {{kUop}}));
    expectOk(list_.alu(add(6, count), {{kUop}}));
    expectOk(list_.push(Unit::kCompute, Unit::kStore));
    expectOk(list_.pop(Unit::kCompute, Unit::kStore));
    expectOk(list_.transfer(row(MemoryType::kOut, 0, 0, count), y));
  }

  std::string errorOf() {
    const Result<Program> program = list_.finish();
    return program.ok() ? "" : program.status().message();
  }

  static constexpr Uop kUop[1] = {{0, 0, 0}};
  HwConfig hw_ = HwConfig::makeDefault();
  CommandList list_{hw_};
};

TEST_F(CommandListTest, InstructionsRunOnEveryDeviceAndMicroOpsAreLoadedOnce) {
  for (const char* name : {"functional:checked", "cycle"}) {
    constexpr uint32_t kCount = 3;
    addEleven(kCount);
    const Result<Program> program = list_.finish();
    ASSERT_TRUE(program.ok()) << program.status().message();
    EXPECT_EQ(program->uops.size(), 1U);
    // LOAD ACC, LOAD UOP, ALU, ALU, STORE, FINISH
    EXPECT_EQ(program->instructions.size(), 6U);
    std::vector<int32_t> x(kCount * 16, 7);
    std::vector<std::vector<uint8_t>> buffers(program->buffers.size());
    buffers[0].resize(x.size() * sizeof(int32_t));
    std::memcpy(buffers[0].data(), x.data(), buffers[0].size());
    buffers[1].resize(x.size());
    const auto device = createDevice(name, hw_);
    ASSERT_TRUE(device.ok());
    const auto result = runProgram(**device, *program, buffers);
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(buffers[1], std::vector<uint8_t>(x.size(), 18));
    EXPECT_EQ(list_.size(), 0U);
  }
}

TEST_F(CommandListTest, MicroOpsThatLeftTheirBufferAreLoadedAgain) {
  const uint32_t depth = hw_.depthElems(MemoryType::kUop);
  const std::vector<Uop> many(depth, Uop{1, 1, 0});
  expectOk(list_.alu(add(1, 1), {{kUop}}));
  expectOk(list_.alu(add(1, 1), many));
  expectOk(list_.alu(add(1, 1), {{kUop}}));
  const Result<Program> program = list_.finish();
  ASSERT_TRUE(program.ok()) << program.status().message();
  EXPECT_EQ(program->uops.size(), depth + 2);
  EXPECT_EQ(program->instructions.size(), 7U);
}

TEST_F(CommandListTest, ProofFindsWhatTokensDoNotOrder) {
  const uint32_t y = list_.addBuffer("y", 16);
  expectOk(list_.alu(add(5, 1), {{kUop}}));
  expectOk(list_.transfer(row(MemoryType::kOut, 0, 0, 1), y));
  EXPECT_THAT(errorOf(), HasSubstr("race"));
  // The list begins anew behind an error.
  EXPECT_EQ(list_.size(), 0U);
  addEleven(2);
  EXPECT_EQ(errorOf(), "");
}

TEST_F(CommandListTest, ProofFindsAccessesBehindABuffer) {
  const uint32_t x = list_.addBuffer("x", 64);
  expectOk(list_.transfer(row(MemoryType::kAcc, 0, 1, 1), x));
  EXPECT_THAT(errorOf(), HasSubstr("accesses bytes 64 to 127 of buffer \"x\""));
}

TEST_F(CommandListTest, ProofFindsTokensThatNobodyTakes) {
  expectOk(list_.alu(add(5, 1), {{kUop}}));
  expectOk(list_.push(Unit::kCompute, Unit::kLoad));
  EXPECT_THAT(errorOf(), Not(testing::IsEmpty()));
}

TEST_F(CommandListTest, WaitOfAUnitWithoutFurtherInstructionsIsNamed) {
  expectOk(list_.alu(add(5, 1), {{kUop}}));
  expectOk(list_.push(Unit::kCompute, Unit::kLoad));
  expectOk(list_.pop(Unit::kCompute, Unit::kLoad));
  EXPECT_THAT(errorOf(), HasSubstr("the load unit is to wait for a token"));
}

TEST_F(CommandListTest, TokensWithoutAnInstructionGetOneThatMovesNothing) {
  // Twice the same token, a token in front of all, and one that waits first.
  expectOk(list_.push(Unit::kLoad, Unit::kCompute));
  expectOk(list_.push(Unit::kLoad, Unit::kCompute));
  expectOk(list_.pop(Unit::kLoad, Unit::kCompute));
  expectOk(list_.pop(Unit::kLoad, Unit::kCompute));
  expectOk(list_.push(Unit::kCompute, Unit::kStore));
  expectOk(list_.pop(Unit::kCompute, Unit::kStore));
  expectOk(list_.push(Unit::kStore, Unit::kCompute));
  expectOk(list_.pop(Unit::kStore, Unit::kCompute));
  const Result<Program> program = list_.finish();
  ASSERT_TRUE(program.ok()) << program.status().message();
  EXPECT_EQ(program->instructions.size(), 6U);
  EXPECT_TRUE(program->instructions.back().tokens.pop_next);
}

TEST_F(CommandListTest, MistakesOfOneInstructionAreNamedAtOnce) {
  EXPECT_THAT(list_.transfer(row(MemoryType::kInp, 0, 0, 1), 3).message(),
              HasSubstr("there is no buffer 3; there are 0"));
  const uint32_t x = list_.addBuffer("x", 64);
  EXPECT_THAT(list_.transfer(row(MemoryType::kInp, 1U << 30, 0, 1), x).message(),
              HasSubstr("instruction 0 (LOAD)"));
  EXPECT_THAT(list_.alu(add(5, 1), {}).message(), HasSubstr("0 micro-ops; give at least 1"));
  const std::vector<Uop> many(hw_.depthElems(MemoryType::kUop) + 1);
  EXPECT_THAT(list_.gemm({}, many).message(), HasSubstr("and at most the"));
  EXPECT_THAT(list_.push(Unit::kLoad, Unit::kStore).message(), HasSubstr("not from load to store"));
  EXPECT_THAT(list_.pop(Unit::kCompute, Unit::kCompute).message(),
              HasSubstr("tokens go between neighbours"));
  EXPECT_EQ(list_.size(), 0U);
}

}  // namespace
}  // namespace vta::driver
