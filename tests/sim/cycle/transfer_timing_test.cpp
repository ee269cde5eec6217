// Fetch, loads and stores against times worked out by hand from docs/timing.md, on the default
// configuration (8 bytes a beat) and simple memory (latency 16).
#include "isa/spec/timing.h"
#include "tests/sim/cycle/timed_program.h"

namespace vta::sim {
namespace {

using test::popNext;
using test::popPrev;
using test::pushNext;
using test::pushPrev;
using test::rowOf;
using test::TimedProgram;

class TransferTimingTest : public testing::Test {
 protected:
  /// Cycles from the start to the retirement of `insn`, with a FINISH that waits for it.
  uint64_t length(const Instruction& insn, const MemoryConfig& memory = {}) {
    program_ = std::make_unique<TimedProgram>(HwConfig::makeDefault(), memory);
    const bool is_store = insn.opcode == Opcode::kStore;
    result_ = program_->run({insn, Instruction::finish(is_store ? popNext() : popPrev())});
    EXPECT_FALSE(result_.fault);
    return program_->times[0].retired - program_->times[0].started;
  }
  static Instruction load(const MemInsn& mem) { return Instruction::load(mem, pushNext()); }

  std::unique_ptr<TimedProgram> program_;
  TimingResult result_;
};

TEST_F(TransferTimingTest, FinishAlone) {
  TimedProgram program(HwConfig::makeDefault());
  const TimingResult result = program.run({Instruction::finish()});
  ASSERT_FALSE(result.fault);
  // Granted 2, accepted 3, two beats 19 and 20, popped 21, decoded 22.
  EXPECT_EQ(program.times[0].dispatched, 23u);
  // At the head and taken 29, prepared 30, scanned 31, issued ScanLatency later.
  const uint64_t issued = 31 + timing::kScanLatency;
  EXPECT_EQ(program.times[0].started, issued);
  EXPECT_EQ(program.times[0].retired, issued);
  EXPECT_EQ(result.counters.cycles, issued + 2);
  EXPECT_EQ(result.counters.fetch.busy_cycles, 1u);
  EXPECT_EQ(result.counters.fetch.stall_memory_cycles, 23u);
  EXPECT_EQ(result.counters.fetch.read_bytes, 16u);
  EXPECT_EQ(result.counters.compute.instructions, 1u);
}

TEST_F(TransferTimingTest, ALoadStreamsAtTheRateOfTheBus) {
  // Offered and granted 3, accepted 4, beats from 20, the first element popped 22, written 23.
  EXPECT_EQ(length(load(rowOf(MemoryType::kInp, 1))), 23u);
  EXPECT_EQ(length(load(rowOf(MemoryType::kInp, 2))), 25u);  // two beats an element
  EXPECT_EQ(length(load(rowOf(MemoryType::kInp, 100))), 221u);
}

TEST_F(TransferTimingTest, TransposedWeightsTakeTheCyclesOfWeights) {
  HwParams params;
  params.ext_transpose = true;
  for (const int ports : {1, 2, 4}) {
    params.axi_ports = ports;
    const auto run = [&](MemoryType type) {
      MemInsn mem = rowOf(type, 9);
      mem.y_pad_0 = mem.x_pad_1 = 2;
      TimedProgram program(*HwConfig::create(params));
      return program
          .run({load(rowOf(MemoryType::kInp, 20)), load(mem), load(rowOf(MemoryType::kInp, 3)),
                load(mem), Instruction::finish(popPrev())})
          .counters;
    };
    EXPECT_EQ(run(MemoryType::kWgtTransposed), run(MemoryType::kWgt)) << ports;
  }
}

// Read in the second cycle behind the start, written in the next one; one element a cycle.
TEST_F(TransferTimingTest, HandoversTakeACycleForAnElement) {
  HwParams params;
  params.ext_handover = true;
  const HwConfig hw = *HwConfig::create(params);
  const auto run = [&](const std::vector<MemInsn>& transfers) {
    std::vector<Instruction> program;
    for (const MemInsn& mem : transfers) program.push_back(load(mem));
    program.push_back(Instruction::finish(popPrev()));
    TimedProgram timed(hw);
    const auto result = timed.run(program);
    EXPECT_EQ(result.counters.load.read_bytes, 0u);
    return std::pair(timed.times.front().started, timed.times[transfers.size() - 1].retired);
  };
  const MemInsn one = rowOf(MemoryType::kInpFromOut, 1);
  const auto [start, end] = run({one});
  EXPECT_EQ(end, start + 3);
  const MemInsn row = rowOf(MemoryType::kInpFromOut, 20);
  const auto [row_start, row_end] = run({row});
  EXPECT_EQ(row_end, row_start + 22);
  // The elements of the next one follow without a gap.
  const auto [two_start, two_end] = run({row, row});
  EXPECT_EQ(two_end, two_start + 42);
  // Padding in front gives the first element its time.
  MemInsn padded = row;
  padded.x_pad_0 = 5;
  const auto [padded_start, padded_end] = run({padded});
  EXPECT_EQ(padded_end, padded_start + 26);
}

TEST_F(TransferTimingTest, WorkLastsFromTheFirstElementToTheLast) {
  length(load(rowOf(MemoryType::kInp, 100)));
  const InstructionTimes& load_times = program_->times[0];
  EXPECT_EQ(load_times.work_from, load_times.started + 23);  // as for a load of one element
  EXPECT_EQ(load_times.work_until, load_times.retired);
  const InstructionTimes& finish = program_->times[1];
  EXPECT_EQ(finish.work_from, InstructionTimes::kNever);

  length(Instruction::store(rowOf(MemoryType::kOut, 100), pushPrev()));
  const InstructionTimes& store = program_->times[0];
  EXPECT_GT(store.work_from, store.started);
  EXPECT_GE(store.work_until, store.work_from + 99);
  EXPECT_LT(store.work_until, store.retired);  // the memory's response comes later
}

TEST_F(TransferTimingTest, PaddingTakesACycleAnElement) {
  MemInsn mem = rowOf(MemoryType::kInp, 1);
  mem.y_pad_0 = 2;
  mem.x_pad_0 = 1;
  mem.x_pad_1 = 3;
  // 11 elements of padding lie before the data, done when it comes; 3 behind it.
  EXPECT_EQ(length(load(mem)), 26u);
  EXPECT_EQ(result_.counters.load.busy_cycles, 15u);
  EXPECT_EQ(result_.counters.load.stall_memory_cycles, 26u - 15u);
  EXPECT_EQ(result_.counters.load.read_bytes, 16u);
}

TEST_F(TransferTimingTest, AnEmptyLoadTakesOneOperation) {
  EXPECT_EQ(length(load(rowOf(MemoryType::kInp, 0))), 2u);
  EXPECT_EQ(program_->bursts().size(), 1u) << "only the fetch";
}

TEST_F(TransferTimingTest, AStoreWaitsForItsResponse) {
  // Granted 3, beats loaded 4 and 5, accepted 5 and 6, response 22, retired a cycle after it.
  EXPECT_EQ(length(Instruction::store(rowOf(MemoryType::kOut, 1), pushPrev())), 23u);
  EXPECT_EQ(result_.counters.store.busy_cycles, 2u);
  EXPECT_EQ(result_.counters.store.write_bytes, 16u);
}

TEST_F(TransferTimingTest, LatencyIsHiddenByBurstsInFlight) {
  MemoryConfig memory;
  memory.simple.latency_cycles = 64;
  const uint64_t slow = length(load(rowOf(MemoryType::kInp, 1024)), memory);
  const uint64_t fast = length(load(rowOf(MemoryType::kInp, 1024)));
  // The first burst sees the latency, the other 127 do not.
  EXPECT_EQ(slow - fast, 48u);
}

TEST_F(TransferTimingTest, SlowMemorySlowsEverything) {
  MemoryConfig memory;
  memory.simple.beats_denominator = 4;
  const uint64_t cycles = length(load(rowOf(MemoryType::kInp, 256)), memory);
  EXPECT_GT(cycles, 4u * 512u);
  EXPECT_LT(cycles, 4u * 512u + 40u);
}

TEST_F(TransferTimingTest, RunsDoNotDependOnEachOther) {
  TimedProgram program(HwConfig::makeDefault());
  const std::vector<Instruction> stream = {load(rowOf(MemoryType::kWgt, 16)),
                                           Instruction::finish(popPrev())};
  const TimingResult first = program.run(stream);
  EXPECT_EQ(program.run(stream).counters, first.counters);
}

}  // namespace
}  // namespace vta::sim
