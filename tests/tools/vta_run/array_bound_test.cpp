#include "tools/vta_run/array_bound.h"

#include <gtest/gtest.h>

#include <utility>

#include "tools/vta_run/report.h"

namespace vta::tools {
namespace {

// 256 multipliers, a bus of 8 bytes.
LaunchCounters counters(uint64_t gemm, uint64_t alu, uint64_t read_bytes = 0,
                        uint64_t write_bytes = 0) {
  LaunchCounters counters;
  counters.gemm_uops = gemm;
  counters.alu_uops = alu;
  counters.load.read_bytes = read_bytes;
  counters.store.write_bytes = write_bytes;
  return counters;
}

HwConfig inTurn() {
  HwParams params = HwConfig::makeDefault().params();
  params.concurrent_compute = false;
  return *HwConfig::create(params);
}

struct Case {
  const char* limit;
  double utilisation;
  bool concurrent;
  int64_t macs;
  LaunchCounters counters;
};

TEST(ArrayBound, NamesWhatIsBusiest) {
  const Case cases[] = {
      {"array", 1, true, 25600, counters(100, 90)},
      // A depthwise layer uses one of 16 lanes; the first layer 3 of 16.
      {"lanes", 1.0 / 16, true, 1600, counters(100, 90)},
      {"ALU", 0.5, true, 25600, counters(100, 200)},
      {"reading", 0.25, true, 25600, counters(100, 200, 3200, 160)},
      {"writing", 0.25, true, 25600, counters(100, 200, 160, 3200)},
      // The compiler leaves multiplications with padding out.
      {"array", 1, true, 25600, counters(90, 10)},
      // One unit after the other: what each of them costs the array counts.
      {"ALU", 0.5, false, 25600, counters(100, 100)},
      {"lanes", 1.0 / 3, false, 12800, counters(100, 50)},
      {"array", 100.0 / 104, false, 25600, counters(100, 4)},
  };
  for (const Case& c : cases) {
    const HwConfig hw = c.concurrent ? HwConfig::makeDefault() : inTurn();
    const auto bound = arrayBound(hw, c.macs, c.counters);
    ASSERT_TRUE(bound);
    EXPECT_EQ(bound->limit, c.limit);
    ASSERT_TRUE(bound->utilisation);
    EXPECT_NEAR(*bound->utilisation, c.utilisation, 1e-9) << c.limit;
  }
}

TEST(ArrayBound, LayersWithoutMultiplicationsHaveALimitOnly) {
  const auto bound = arrayBound(HwConfig::makeDefault(), 0, counters(10, 100, 80));
  ASSERT_TRUE(bound);
  EXPECT_FALSE(bound->utilisation);
  EXPECT_EQ(bound->limit, "ALU");
}

TEST(ArrayBound, PortsReadAtTheSameTime) {
  HwParams params = HwConfig::makeDefault().params();
  LaunchCounters read = counters(100, 90, 3200);
  for (const auto& [ports, beats] : {std::pair{1, 500U}, {2, 250U}, {4, 166U}}) {
    params.axi_ports = ports;
    read.compute.read_bytes = 800;
    EXPECT_EQ(leastReadBeats(*HwConfig::create(params), read), beats) << ports;
  }
  // All but weights and inputs are read through one port.
  read.compute.read_bytes = 4800;
  EXPECT_EQ(leastReadBeats(*HwConfig::create(params), read), 600U);
}

TEST(ArrayBound, NothingRan) {
  EXPECT_FALSE(arrayBound(HwConfig::makeDefault(), 1000, counters(0, 0)));
}

}  // namespace
}  // namespace vta::tools
