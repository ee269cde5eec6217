#include "compiler/kernel/plan/read_cycles.h"

#include <gtest/gtest.h>

namespace vta::kernel::testing {
namespace {

HwConfig withPorts(int ports) {
  HwParams params;
  params.axi_ports = ports;
  return *HwConfig::create(params);
}

// Of 8 bytes a beat.
constexpr ReadBytes kBytes = {.inputs = 80, .weights = 160, .rest = 16};

TEST(ReadCycles, AddUpWithOnePort) { EXPECT_EQ(readCycles(kBytes, withPorts(1), {}), 32); }

TEST(ReadCycles, OfThePortWithTheMost) {
  EXPECT_EQ(readCycles(kBytes, withPorts(2), {}), 20);
  EXPECT_EQ(readCycles({.inputs = 160, .weights = 80, .rest = 16}, withPorts(2), {}), 22);
  EXPECT_EQ(readCycles({.inputs = 160, .weights = 80, .rest = 16}, withPorts(4), {}), 20);
}

TEST(ReadCycles, MemoryBehindThePortsMayBeTheLimit) {
  MemoryTraits memory;
  memory.shared_cycles_per_beat = 0.75;
  EXPECT_EQ(readCycles(kBytes, withPorts(2), memory), 24);
  EXPECT_EQ(readCycles(kBytes, withPorts(1), memory), 32);
  memory.cycles_per_beat = 3;
  EXPECT_EQ(readCycles(kBytes, withPorts(4), memory), 60);
}

TEST(LoadUnitCycles, SideBySideWithTwoEngines) {
  EXPECT_EQ(loadUnitCycles(10, 20, withPorts(1)), 30);
  EXPECT_EQ(loadUnitCycles(10, 20, withPorts(2)), 20);
}

}  // namespace
}  // namespace vta::kernel::testing
