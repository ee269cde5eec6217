// The published HLS core against the cycles that were measured on its RTL (docs/timing.md), with
// simple memory of several latencies.
#include "isa/spec/hls_timing.h"
#include "tests/sim/cycle/timed_program.h"

namespace vta::sim {
namespace {

using test::popNext;
using test::popPrev;
using test::pushNext;
using test::pushPrev;
using test::rowOf;
using test::TimedProgram;

HwConfig hlsConfig() { return *loadHwConfig(VTA_SOURCE_DIR "/configs/hw/vta-0.0.2-hls.yaml"); }

MemoryConfig latency(int cycles) {
  MemoryConfig memory;
  memory.simple.latency_cycles = cycles;
  return memory;
}

MemInsn rows(MemoryType type, uint32_t y, uint32_t x) {
  MemInsn mem = rowOf(type, x);
  mem.y_size = y;
  mem.x_stride = 200;
  return mem;
}

/// From the start of `insn` to that of the next one in its queue, a second `insn`.
uint64_t costOf(const Instruction& insn, const MemoryConfig& memory = {}) {
  TimedProgram program(hlsConfig(), memory);
  program.setUops({{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}});
  // FINISH waits for the load unit only where a token says so.
  Instruction second = insn;
  const bool by_load = insn.unit() == Unit::kLoad;
  second.tokens.push_next = by_load;
  const Tokens last = by_load ? popPrev() : Tokens{};
  const TimingResult result = program.run({insn, second, Instruction::finish(last)});
  EXPECT_FALSE(result.fault);
  return program.times[1].started - program.times[0].started;
}

class HlsTimingTest : public testing::TestWithParam<int> {
 protected:
  uint64_t loadCost(MemoryType type, uint32_t y, uint32_t x) const {
    return costOf(Instruction::load(rows(type, y, x)), latency(GetParam()));
  }
  uint64_t latencyCycles() const { return static_cast<uint64_t>(GetParam()); }
};

TEST_P(HlsTimingTest, LoadsCostWhatWasMeasured) {
  const uint64_t l = latencyCycles();
  for (const uint32_t y : {1u, 2u, 5u}) {
    for (const uint32_t x : {1u, 3u, 8u, 40u}) {
      EXPECT_EQ(loadCost(MemoryType::kInp, y, x), 9 + y * (18 + l + 2 * x)) << y << " " << x;
      EXPECT_EQ(loadCost(MemoryType::kWgt, y, x), 5 + y * (14 + l + 64 * x)) << y << " " << x;
      EXPECT_EQ(loadCost(MemoryType::kAcc, y, x), 11 + y * (18 + l + 8 * x)) << y << " " << x;
    }
  }
  for (const uint32_t x : {1u, 2u, 16u, 17u, 100u}) {
    EXPECT_EQ(loadCost(MemoryType::kUop, 1, x), 17 + l + x) << x;
  }
}

TEST_P(HlsTimingTest, StoresCostWhatWasMeasured) {
  const uint64_t l = latencyCycles();
  for (const uint32_t y : {1u, 2u, 5u}) {
    for (const uint32_t x : {1u, 3u, 8u, 40u}) {
      const Instruction store = Instruction::store(rows(MemoryType::kOut, y, x));
      TimedProgram program(hlsConfig(), latency(GetParam()));
      // Stores alone do not keep FINISH waiting.
      const TimingResult result =
          program.run({store, Instruction::store(rows(MemoryType::kOut, y, x), pushPrev()),
                       Instruction::finish(popNext())});
      ASSERT_FALSE(result.fault);
      EXPECT_EQ(program.times[1].started - program.times[0].started, 3 + y * (13 + l + 2 * x));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Latencies, HlsTimingTest, testing::Values(4, 16, 40, 100));

TEST(HlsEnginesTest, GemmAndAluCostWhatWasMeasured) {
  GemmInsn gemm;
  gemm.uop_end = 4;
  gemm.iter_out = 5;
  gemm.iter_in = 7;
  EXPECT_EQ(costOf(Instruction::gemm(gemm)), 19u + 140);
  AluInsn alu;
  alu.alu_opcode = AluOpcode::kAdd;
  alu.use_imm = true;
  alu.uop_end = 4;
  alu.iter_out = 5;
  alu.iter_in = 7;
  EXPECT_EQ(costOf(Instruction::alu(alu)), 19u + 280);
}

TEST(HlsEnginesTest, PaddingCostsACycleForEachElement) {
  MemInsn mem = rows(MemoryType::kInp, 3, 4);
  mem.x_pad_0 = 1;
  mem.x_pad_1 = 2;
  mem.y_pad_0 = 1;
  mem.y_pad_1 = 2;
  EXPECT_EQ(costOf(Instruction::load(mem)), 9u + 3 * (18 + 16 + 2 * 4) + 3 * 3 + 3 * 7);
}

TEST(HlsTokensTest, RoundTripsAreThoseMeasured) {
  // A compute instruction without iterations, and a transfer without rows.
  GemmInsn nothing;
  nothing.uop_end = 1;
  nothing.iter_out = 0;
  nothing.iter_in = 1;
  Tokens with_load;
  with_load.pop_prev = with_load.push_prev = true;
  Tokens load_tokens;
  load_tokens.pop_next = load_tokens.push_next = true;
  MemInsn no_rows = rowOf(MemoryType::kInp, 1);
  no_rows.y_size = 0;
  // The first load must not wait: without a token in the queue nothing starts.
  std::vector<Instruction> stream;
  stream.push_back(Instruction::load(no_rows, pushNext()));
  for (int i = 0; i < 20; ++i) {
    stream.push_back(Instruction::gemm(nothing, with_load));
    stream.push_back(Instruction::load(no_rows, load_tokens));
  }
  stream.push_back(Instruction::finish(popPrev()));
  TimedProgram loads(hlsConfig());
  ASSERT_FALSE(loads.run(stream).fault);
  EXPECT_EQ(loads.times[23].started - loads.times[21].started, 25u);

  MemInsn no_store = rowOf(MemoryType::kOut, 1);
  no_store.y_size = 0;
  Tokens with_store;
  with_store.pop_next = with_store.push_next = true;
  Tokens store_tokens;
  store_tokens.pop_prev = store_tokens.push_prev = true;
  stream = {Instruction::gemm(nothing, pushNext())};
  for (int i = 0; i < 20; ++i) {
    stream.push_back(Instruction::store(no_store, store_tokens));
    stream.push_back(Instruction::gemm(nothing, with_store));
  }
  stream.push_back(Instruction::store(no_store, store_tokens));
  stream.push_back(Instruction::finish(popNext()));
  TimedProgram stores(hlsConfig());
  ASSERT_FALSE(stores.run(stream).fault);
  EXPECT_EQ(stores.times[23].started - stores.times[21].started, 20u);
}

TEST(HlsBusTest, BurstsOfUnitsThatReadAtTheSameTimeTakeTurns) {
  // 320 beats of INP are asked for before the load of ACC: its one burst does not wait for them
  // all.
  TimedProgram program(hlsConfig());
  const TimingResult result = program.run(
      {Instruction::load(rows(MemoryType::kInp, 1, 160), pushNext()),
       Instruction::load(rows(MemoryType::kAcc, 1, 2)), Instruction::finish(popPrev())});
  ASSERT_FALSE(result.fault);
  EXPECT_LT(program.times[1].retired, program.times[0].retired - 100);
}

TEST(HlsFaultsTest, TellsWhatIsWrongWithAProgram) {
  TimedProgram program(hlsConfig());
  TimingResult result = program.run(
      {Instruction::load(rows(MemoryType::kInp, 1, 1), popNext()), Instruction::finish()});
  EXPECT_FALSE(result.fault) << "the load is never needed";
  result = program.run({Instruction::finish(popPrev())});
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->kind, FaultKind::kDeadlock);
  MemInsn outside = rows(MemoryType::kInp, 1, 4);
  outside.sram_base = 2047;
  result = program.run({Instruction::load(outside, pushNext()), Instruction::finish(popPrev())});
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->kind, FaultKind::kSramBounds);
  outside = rows(MemoryType::kInp, 1, 4);
  outside.dram_base = 1 << 20;
  result = program.run({Instruction::load(outside, pushNext()), Instruction::finish(popPrev())});
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->kind, FaultKind::kDramBounds);
  result = program.run(
      {Instruction::load(rows(MemoryType::kUop, 1, 1), pushPrev()), Instruction::finish()});
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->kind, FaultKind::kTokensLeftOver);
}

}  // namespace
}  // namespace vta::sim
