// The compute unit against times worked out by hand from docs/timing.md.
#include "isa/spec/timing.h"
#include "tests/sim/cycle/timed_program.h"

namespace vta::sim {
namespace {

using test::rowOf;
using test::TimedProgram;

HwConfig config(bool concurrent) {
  HwParams params;
  params.concurrent_compute = concurrent;
  return *HwConfig::create(params);
}

template <typename Insn>
Insn loop(uint32_t iterations, uint32_t uop) {
  Insn insn;
  insn.uop_bgn = uop;
  insn.uop_end = uop + 1;
  insn.iter_out = 1;
  insn.iter_in = iterations;
  insn.dst_factor_in = 1;
  return insn;
}

GemmInsn gemm(uint32_t iterations, uint32_t uop = 0) { return loop<GemmInsn>(iterations, uop); }

AluInsn alu(uint32_t iterations, uint32_t uop = 0) {
  AluInsn insn = loop<AluInsn>(iterations, uop);
  insn.alu_opcode = AluOpcode::kAdd;
  insn.use_imm = true;
  return insn;
}

// From issue to the finish of an instruction of so many accesses, one a cycle.
uint64_t gemmCycles(uint64_t accesses) {
  return accesses + timing::gemmDepth({}) + timing::leastAccLatency({});
}
uint64_t aluCycles(uint64_t accesses) {
  return accesses + timing::kAluDepth + timing::leastAccLatency({});
}

class ComputeTimingTest : public testing::Test {
 protected:
  /// Micro-ops 0 to 3 name ACC elements 0, 256, 512 and 0 as dst, 0, 0, 3 and 4 as src.
  TimingResult run(const HwConfig& hw, std::vector<Instruction> instructions) {
    program_ = std::make_unique<TimedProgram>(hw);
    program_->setUops({{0, 0, 0}, {256, 0, 0}, {512, 3, 0}, {0, 4, 0}});
    instructions.insert(instructions.begin(), Instruction::load(rowOf(MemoryType::kUop, 4)));
    instructions.push_back(Instruction::finish());
    TimingResult result = program_->run(instructions);
    EXPECT_FALSE(result.fault) << result.fault->reason;
    return result;
  }
  uint64_t length(size_t i) const {
    return program_->times[i].retired - program_->times[i].started;
  }

  std::unique_ptr<TimedProgram> program_;
};

TEST_F(ComputeTimingTest, GemmTakesACycleAMicroOp) {
  const TimingResult result = run(config(true), {Instruction::gemm(gemm(100))});
  EXPECT_EQ(length(1), gemmCycles(100));
  EXPECT_EQ(result.counters.gemm_uops, 100u);
  // From the cycle after issue to the one before it is finished, less the accesses.
  EXPECT_EQ(result.counters.compute.stall_hazard_cycles,
            timing::gemmDepth({}) + timing::leastAccLatency({}) - 1);
}

TEST_F(ComputeTimingTest, AluTakesACycleAnElement) {
  const TimingResult result = run(config(true), {Instruction::alu(alu(100))});
  EXPECT_EQ(length(1), aluCycles(100));
  EXPECT_EQ(result.counters.alu_uops, 100u);
}

TEST_F(ComputeTimingTest, NoBubbleBetweenInstructionsOfAnEngine) {
  run(config(true), {Instruction::gemm(gemm(64)), Instruction::gemm(gemm(64, 1)),
                     Instruction::gemm(gemm(64, 2))});
  EXPECT_EQ(program_->times[2].retired - program_->times[1].retired, 64u);
  EXPECT_EQ(program_->times[3].retired - program_->times[2].retired, 64u);
}

TEST_F(ComputeTimingTest, TheAluWaitsForItsOwnResults) {
  AluInsn same = alu(50);
  same.dst_factor_in = 0;
  run(config(true), {Instruction::alu(same)});
  // Every access but the first comes when the one before can be read.
  EXPECT_EQ(length(1), aluCycles(1) + 49 * (timing::leastAccLatency({}) + 1));
}

TEST_F(ComputeTimingTest, GemmForwardsItsOwnResults) {
  GemmInsn same = gemm(50);
  same.dst_factor_in = 0;
  run(config(true), {Instruction::gemm(same)});
  EXPECT_EQ(length(1), gemmCycles(50));
}

TEST_F(ComputeTimingTest, OperandsInOneBankTakeTwoAccesses) {
  AluInsn tensor = alu(40, 3);  // dst i, src 4 + i: the same bank
  tensor.use_imm = false;
  tensor.src_factor_in = 1;
  const TimingResult split = run(config(true), {Instruction::alu(tensor)});
  EXPECT_GE(length(1), 80u);
  EXPECT_EQ(split.counters.alu_uops, 40u);
  AluInsn apart = alu(40, 2);  // dst 512 + i, src 3 + i
  apart.use_imm = false;
  apart.src_factor_in = 1;
  run(config(true), {Instruction::alu(apart)});
  EXPECT_EQ(length(1), aluCycles(40));
}

TEST_F(ComputeTimingTest, AConstantOperandIsHeld) {
  AluInsn constant = alu(40, 2);  // dst 512 + i, src always 3
  constant.use_imm = false;
  run(config(true), {Instruction::alu(constant)});
  EXPECT_EQ(length(1), aluCycles(40));
}

TEST_F(ComputeTimingTest, WorkIsRecordedApartFromWaitingInTheEngine) {
  run(config(true), {Instruction::gemm(gemm(100)), Instruction::gemm(gemm(50))});
  const InstructionTimes& first = program_->times[1];
  const InstructionTimes& second = program_->times[2];
  EXPECT_EQ(first.work_from, first.started + timing::gemmDepth({}) + 1);
  EXPECT_EQ(first.work_until, first.work_from + 99);
  EXPECT_EQ(first.retired, first.work_until + timing::leastAccLatency({}));
  // Issued while the first one works, it works only after it.
  EXPECT_LT(second.started, first.work_until);
  EXPECT_EQ(second.work_from, first.work_until + 1);
  EXPECT_EQ(second.work_until, second.work_from + 49);
}

TEST_F(ComputeTimingTest, EnginesOverlapOnlyWhenConcurrent) {
  const std::vector<Instruction> both = {Instruction::gemm(gemm(200)),
                                         Instruction::alu(alu(200, 1))};
  run(config(false), both);
  EXPECT_GE(program_->times[2].started, program_->times[1].retired);
  const TimingResult result = run(config(true), both);
  EXPECT_LT(program_->times[2].started, program_->times[1].started + 10);
  // GEMM gives way where both want one bank; from then on they walk in step.
  EXPECT_LT(length(1), 215u);
  EXPECT_EQ(result.counters.gemm_uops, 200u);
  EXPECT_EQ(result.counters.alu_uops, 200u);
}

TEST_F(ComputeTimingTest, RangesThatMeetDoNotOverlap) {
  run(config(true), {Instruction::gemm(gemm(200)), Instruction::alu(alu(10))});
  EXPECT_GE(program_->times[2].started, program_->times[1].retired);
}

TEST_F(ComputeTimingTest, EmptyLoopsOnlyCarryTokens) {
  const TimingResult result = run(config(true), {Instruction::gemm(gemm(0))});
  // It retires behind the load of micro-ops, in order.
  EXPECT_EQ(program_->times[1].retired, program_->times[0].retired + 1);
  EXPECT_EQ(result.counters.gemm_uops, 0u);
}

}  // namespace
}  // namespace vta::sim
