// Programs that the hardware stops: kind, place and reason; and memories that cannot be.
#include <gmock/gmock.h>

#include "sim/random/program_image.h"
#include "sim/random/random_program.h"
#include "tests/sim/cycle/timed_program.h"

namespace vta::sim {
namespace {

using test::popNext;
using test::popPrev;
using test::pushNext;
using test::rowOf;
using test::TimedProgram;
using testing::HasSubstr;

class CycleFaultsTest : public testing::Test {
 protected:
  TimedProgram program_{HwConfig::makeDefault()};
};

TEST_F(CycleFaultsTest, DeadlockNamesWhoWaitsForWhom) {
  const TimingResult result =
      program_.run({Instruction::load(rowOf(MemoryType::kInp, 1), popNext()),
                    Instruction::gemm({}, popPrev()), Instruction::finish()});
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->kind, FaultKind::kDeadlock);
  EXPECT_EQ(result.fault->instruction, 0u);
  EXPECT_THAT(result.fault->reason, HasSubstr("load waits at instruction 0"));
  EXPECT_THAT(result.fault->reason, HasSubstr("a token from compute"));
  EXPECT_THAT(result.fault->reason, HasSubstr("compute waits at instruction 1"));
  EXPECT_GT(result.counters.cycles, 20u);
}

TEST_F(CycleFaultsTest, DeadlockNamesTheInstructionThatWouldPush) {
  Tokens tokens = popNext();
  tokens.push_next = true;
  const TimingResult result =
      program_.run({Instruction::gemm({}, popPrev()),
                    Instruction::load(rowOf(MemoryType::kInp, 1), tokens), Instruction::finish()});
  ASSERT_TRUE(result.fault);
  EXPECT_THAT(result.fault->reason, HasSubstr("which instruction 1 would push"));
}

TEST_F(CycleFaultsTest, NoFinish) {
  const TimingResult result = program_.run({Instruction::gemm({})});
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->kind, FaultKind::kDeadlock);
  EXPECT_THAT(result.fault->reason, HasSubstr("without FINISH"));
}

TEST_F(CycleFaultsTest, TokensLeftOver) {
  const TimingResult result = program_.run(
      {Instruction::load(rowOf(MemoryType::kInp, 1), pushNext()), Instruction::finish()});
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->kind, FaultKind::kTokensLeftOver);
  EXPECT_EQ(result.fault->instruction, 1u);
}

TEST_F(CycleFaultsTest, TokenOverflow) {
  std::vector<Instruction> stream(513, Instruction::load(rowOf(MemoryType::kInp, 0), pushNext()));
  stream.push_back(Instruction::finish());
  const TimingResult result = program_.run(stream);
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->kind, FaultKind::kTokenOverflow);
  EXPECT_EQ(result.fault->instruction, 512u);
  EXPECT_THAT(result.fault->reason, HasSubstr("from load to compute"));
}

TEST_F(CycleFaultsTest, ATransferPastItsScratchpad) {
  const TimingResult result =
      program_.run({Instruction::load(rowOf(MemoryType::kInp, 8, 2044)), Instruction::finish()});
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->kind, FaultKind::kSramBounds);
  EXPECT_THAT(result.fault->reason, HasSubstr("INP elements 2044 to 2051"));
  EXPECT_EQ(result.counters.load.instructions, 0u);
}

TEST_F(CycleFaultsTest, AnIndexPastItsScratchpad) {
  GemmInsn gemm;
  gemm.uop_end = 1;
  gemm.iter_out = 2;
  gemm.iter_in = 2000;
  gemm.dst_factor_in = 1;
  gemm.dst_factor_out = 100;
  const TimingResult result = program_.run({Instruction::load(rowOf(MemoryType::kUop, 1)),
                                            Instruction::gemm(gemm), Instruction::finish()});
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->kind, FaultKind::kSramBounds);
  EXPECT_EQ(result.fault->instruction, 1u);
}

TEST_F(CycleFaultsTest, MemoryThatIsNotAllocated) {
  MemInsn mem = rowOf(MemoryType::kInp, 1);
  mem.dram_base = 1 << 20;
  const TimingResult result = program_.run({Instruction::load(mem), Instruction::finish()});
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->kind, FaultKind::kDramBounds);
  EXPECT_EQ(result.fault->instruction, 0u);
}

// Burst 0 is the stream's; then each LOAD has one.
TEST_F(CycleFaultsTest, AReadThatFailsIsReportedWhenItsBeatIsPopped) {
  const std::vector<Instruction> stream = {Instruction::load(rowOf(MemoryType::kInp, 4)),
                                           Instruction::load(rowOf(MemoryType::kInp, 4)),
                                           Instruction::finish()};
  BusErrors errors;
  errors.read_burst = 2;
  errors.read_beat = 3;
  program_.injectBusErrors(errors);
  const TimingResult result = program_.run(stream);
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->kind, FaultKind::kDramBounds);
  EXPECT_EQ(result.fault->instruction, 1u);
  EXPECT_EQ(result.counters.load.instructions, 1u);
  // Popped, and the core halts, in the cycle after the arrival; then the rest of the burst drains.
  const BurstTimes& burst = program_.bursts().back();
  EXPECT_EQ(burst.master, BusMaster::kLoad);
  EXPECT_EQ(result.counters.cycles, burst.last_beat_cycle + 2);
  program_.injectBusErrors({});
  EXPECT_FALSE(program_.run(stream).fault);
}

TEST_F(CycleFaultsTest, AWriteThatFailsIsReportedBehindItsResponse) {
  BusErrors errors;
  errors.write_burst = 1;
  program_.injectBusErrors(errors);
  const Instruction store = Instruction::store(rowOf(MemoryType::kOut, 1));
  const TimingResult result = program_.run({store, store, store, Instruction::finish()});
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->kind, FaultKind::kDramBounds);
  EXPECT_EQ(result.fault->instruction, 1u);
  // The store retires in the cycle in which it is reported.
  EXPECT_EQ(result.counters.store.instructions, 2u);
}

TEST_F(CycleFaultsTest, AFetchThatFailsIsReportedAfterEverythingBeforeIt) {
  BusErrors errors;
  errors.read_burst = 0;
  errors.read_beat = 4;  // two beats an instruction
  program_.injectBusErrors(errors);
  const Instruction load = Instruction::load(rowOf(MemoryType::kInp, 4));
  const TimingResult result = program_.run({load, load, load, load, Instruction::finish()});
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->kind, FaultKind::kDramBounds);
  EXPECT_EQ(result.fault->instruction, 2u);
  EXPECT_EQ(result.counters.load.instructions, 2u);
}

TEST_F(CycleFaultsTest, ErrorsBehindTheEndOfTheStreamDoNotMatter) {
  BusErrors errors;
  errors.read_burst = 0;
  errors.read_beat = 3;  // of the instruction behind FINISH
  errors.write_burst = 0;
  program_.injectBusErrors(errors);
  EXPECT_FALSE(program_.run({Instruction::finish(), Instruction::finish()}).fault);
}

TEST_F(CycleFaultsTest, AnIllegalInstructionAfterEverythingBeforeIt) {
  std::vector<std::byte> bytes;
  ASSERT_TRUE(encodeInstruction(Instruction::gemm({}), HwConfig::makeDefault(), bytes).ok());
  bytes.resize(32, std::byte{0xff});
  const TimingResult result = program_.runRaw(bytes);
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->kind, FaultKind::kIllegalInstruction);
  EXPECT_EQ(result.fault->instruction, 1u);
  EXPECT_EQ(result.counters.compute.instructions, 1u);
}

TEST_F(CycleFaultsTest, WorksAfterAFault) {
  ASSERT_TRUE(program_.run({Instruction::gemm({})}).fault);
  EXPECT_FALSE(program_.run({Instruction::finish()}).fault);
}

TEST(CycleModelTest, ImpossibleMemoriesAreRefused) {
  MemoryConfig memory;
  memory.simple.beats_numerator = 0;
  const auto model = CycleModel::create(HwConfig::makeDefault(), memory);
  EXPECT_EQ(model.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(model.status().message(), HasSubstr("beats_per_cycle"));
}

TEST(CycleModelTest, LegalRandomProgramsEndWithoutFault) {
  const HwConfig hw = HwConfig::makeDefault();
  const auto model = *CycleModel::create(hw, {});
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    Rng rng(seed);
    ProgramImage image = *makeImage(randomProgram(hw, rng), hw, rng);
    ImageDram dram(image);
    const TimingResult result =
        model->run(streamOf(image, hw), image.instruction_address, image.bases, dram);
    EXPECT_FALSE(result.fault) << "seed " << seed << ": " << result.fault->reason;
    EXPECT_EQ(result.counters.fetch.instructions, image.instruction_count) << "seed " << seed;
  }
}

}  // namespace
}  // namespace vta::sim
