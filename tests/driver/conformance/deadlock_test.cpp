// Launches that cannot end, and tokens that are too many.
#include "tests/driver/conformance/fault_case.h"

namespace vta::driver::conformance {
namespace {

using testing::HasSubstr;

class DeadlockTest : public FaultCase {};

TEST_P(DeadlockTest, DeadlockNamesWaitersAndPushers) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  VTA_REQUIRE_FEATURE(Feature::kFaultReports);
  Machine machine(spec(), HwConfig::makeDefault());
  machine.writeLanes(MemoryType::kInp, 0, Lanes(16, 1));
  machine.add(Instruction::load(row(MemoryType::kInp, 0, 0, 1)));
  machine.add(
      Instruction::load(row(MemoryType::kInp, 0, 0, 1), {.pop_next = true, .push_next = true}));
  machine.add(Instruction::gemm({}, {.pop_prev = true, .push_prev = true}));
  machine.add(Instruction::finish({.pop_next = true}));
  const LaunchResult result = machine.launch();
  ASSERT_TRUE(result.fault.has_value());
  EXPECT_EQ(result.fault->kind, FaultKind::kDeadlock);
  EXPECT_EQ(result.fault->instruction, 1u);
  EXPECT_THAT(result.fault->reason, HasSubstr("load waits at instruction 1"));
  EXPECT_THAT(result.fault->reason,
              HasSubstr("a token from compute, which instruction 2 would push"));
  EXPECT_THAT(result.fault->reason, HasSubstr("compute waits at instruction 2"));
  EXPECT_THAT(result.fault->reason, HasSubstr("a token from load, which instruction 1 would push"));
}

TEST_P(DeadlockTest, TokenThatNobodyPushes) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  VTA_REQUIRE_FEATURE(Feature::kFaultReports);
  Machine machine(spec(), HwConfig::makeDefault());
  machine.add(Instruction::finish({.pop_next = true}));
  expectFault(machine, FaultKind::kDeadlock, 0, "finish", "which no instruction is left to push");
}

TEST_P(DeadlockTest, TokensLeftOver) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  VTA_REQUIRE_FEATURE(Feature::kFaultReports);
  Machine machine(spec(), HwConfig::makeDefault());
  machine.add(Instruction::gemm({}, {.push_prev = true}));
  machine.add(Instruction::gemm({}, {.push_prev = true, .push_next = true}));
  machine.add(Instruction::finish());
  expectFault(machine, FaultKind::kTokensLeftOver, 2, "finish",
              "2 from compute to load, 1 from compute to store");
}

TEST_P(DeadlockTest, TokenQueueOverflow) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  VTA_REQUIRE_FEATURE(Feature::kFaultReports);
  VTA_REQUIRE_FEATURE(Feature::kTestGeometries);
  Machine machine(spec(), rtlTestConfig("short-queues-2x4x4"));
  for (int i = 0; i < 5; ++i) machine.add(Instruction::gemm({}, {.push_next = true}));
  machine.add(Instruction::finish());
  expectFault(machine, FaultKind::kTokenOverflow, 4, "gemm",
              "from compute to store already holds 4");
}

TEST_P(DeadlockTest, StreamWithoutFinish) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  VTA_REQUIRE_FEATURE(Feature::kFaultReports);
  Machine machine(spec(), HwConfig::makeDefault());
  machine.add(Instruction::gemm({}));
  machine.add(Instruction::gemm({}));
  expectFault(machine, FaultKind::kDeadlock, 1, "gemm", "without FINISH");
}

TEST_P(DeadlockTest, DeadlockOfFiniteCommandQueues) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  VTA_REQUIRE_FEATURE(Feature::kCheckedMode);
  HwParams p;
  p.command_queue_depth = 4;
  for (const int queued : {4, 5}) {
    SCOPED_TRACE(queued);
    Machine machine(spec(), HwConfig::create(p).value());
    machine.writeLanes(MemoryType::kInp, 0, Lanes(16, 1));
    // The first GEMM waits for a load that stands behind `queued` more compute instructions.
    machine.add(Instruction::gemm({}, {.pop_prev = true}));
    for (int i = 0; i < queued; ++i) machine.add(Instruction::gemm({}));
    machine.add(Instruction::load(row(MemoryType::kInp, 0, 0, 1), {.push_next = true}));
    machine.add(Instruction::finish());
    const LaunchResult result = machine.launch();
    EXPECT_EQ(result.fault.has_value(), queued == 5);
    if (!result.fault) continue;
    EXPECT_EQ(result.fault->kind, FaultKind::kDeadlock);
    EXPECT_THAT(result.fault->reason,
                HasSubstr("instruction 5 is not fetched because the compute unit has 4"));
  }
}

VTA_INSTANTIATE_CONFORMANCE(DeadlockTest);

}  // namespace
}  // namespace vta::driver::conformance
