#include "tools/trace/launch_events.h"

#include <gtest/gtest.h>

namespace vta::tools {
namespace {

Instruction loadThatPushes() {
  MemInsn mem;
  mem.memory_type = MemoryType::kInp;
  Tokens tokens;
  tokens.push_next = true;
  return Instruction::load(mem, tokens);
}

Instruction gemmThatPops() {
  Tokens tokens;
  tokens.pop_prev = true;
  return Instruction::gemm({}, tokens);
}

TEST(TokenFlowsTest, TheNthPushMeetsTheNthPop) {
  Program program;
  program.instructions = {loadThatPushes(), loadThatPushes(), gemmThatPops(), gemmThatPops(),
                          gemmThatPops()};
  Recording trace;
  trace.instructions = {{0, 1, 5}, {1, 2, 9}, {2, 6, 8}, {3, 10, 12}, {4}};
  const auto flows = tokenFlows(trace, program);
  ASSERT_EQ(flows.size(), 2u);
  EXPECT_STREQ(flows[0].name, "load to compute");
  EXPECT_EQ(flows[0].from, 0u);
  EXPECT_EQ(flows[0].to, 2u);
  EXPECT_EQ(flows[1].from, 1u);
  EXPECT_EQ(flows[1].to, 3u);
}

TEST(TokenFlowsTest, WhatDidNotRunHasNoArrow) {
  Program program;
  program.instructions = {loadThatPushes(), gemmThatPops()};
  Recording trace;
  trace.instructions = {{0, 1, 5}, {1, InstructionTimes::kNever, InstructionTimes::kNever}};
  EXPECT_TRUE(tokenFlows(trace, program).empty());
}

TEST(BusSharesTest, BurstsAreSplitAtWindowsAndTheLastWindowIsShort) {
  Recording trace;
  trace.cycles = 25;
  // Eight beats in cycles 6 to 13, two in 20 to 23, one write.
  trace.bursts = {
      {6, 13, 8, BusMaster::kLoad}, {20, 23, 2, BusMaster::kFetch}, {0, 0, 1, BusMaster::kStore}};
  const auto shares = busShares(trace, 10);
  ASSERT_EQ(shares.size(), 3u);
  const auto share = [&](size_t window, BusMaster master) {
    return shares[window][static_cast<size_t>(master)];
  };
  EXPECT_DOUBLE_EQ(share(0, BusMaster::kLoad), 40);
  EXPECT_DOUBLE_EQ(share(1, BusMaster::kLoad), 40);
  EXPECT_DOUBLE_EQ(share(2, BusMaster::kFetch), 40);  // 2 beats in 5 cycles
  EXPECT_DOUBLE_EQ(share(0, BusMaster::kStore), 10);
  EXPECT_DOUBLE_EQ(share(2, BusMaster::kStore), 0);
}

TEST(BusSharesTest, WindowsGrowWithTheRun) {
  EXPECT_EQ(busWindowCycles(100), 16u);
  EXPECT_EQ(busWindowCycles(8'000'000), 4000u);
}

}  // namespace
}  // namespace vta::tools
