// What the profile says of a layer that is bounded by something.
#include <gtest/gtest.h>

#include "tools/vta_run/profile.h"
#include "tools/vta_run/report.h"

namespace vta::tools {
namespace {

HwConfig withPasses(int passes) {
  HwParams params = HwConfig::makeDefault().params();
  params.alu_passes = passes;
  return *HwConfig::create(params);
}

// The compute unit waits for results most of the time.
LaunchCounters waitingCounters() {
  LaunchCounters counters;
  counters.cycles = 1000;
  counters.gemm_uops = 100;
  counters.alu_uops = 240;
  counters.compute.busy_cycles = 340;
  counters.compute.stall_hazard_cycles = 600;
  return counters;
}

TEST(LimitOf, AnAluWithFewLanesIsAtWorkWhileTheUnitWaits) {
  RunReport report;
  const HwConfig hw = withPasses(4);
  report.hw = &hw;
  EXPECT_EQ(limitOf(report, 25600, waitingCounters()), "ALU");
  const HwConfig all_lanes = withPasses(1);
  report.hw = &all_lanes;
  EXPECT_EQ(limitOf(report, 25600, waitingCounters()), "hazards");
}

}  // namespace
}  // namespace vta::tools
