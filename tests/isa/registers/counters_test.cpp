#include "isa/registers/counters.h"

#include <gtest/gtest.h>

#include "isa/registers/registers.h"

namespace vta {
namespace {

constexpr UnitCounters kUnit{1, 2, 3, 4, 5, 6, 7};

TEST(Counters, ValuesHaveTheOrderOfTheRegisters) {
  const std::array<uint64_t, 7> values = kUnit.values();
  EXPECT_EQ(values[static_cast<size_t>(reg::UnitCounter::kInstructions)], 1u);
  EXPECT_EQ(values[static_cast<size_t>(reg::UnitCounter::kBusyCycles)], 2u);
  EXPECT_EQ(values[static_cast<size_t>(reg::UnitCounter::kStallHazardCycles)], 5u);
  EXPECT_EQ(values[static_cast<size_t>(reg::UnitCounter::kWriteBytes)], 7u);
  EXPECT_EQ(UnitCounters::fromValues(values), kUnit);
}

TEST(Counters, SumsHaveEveryFigure) {
  LaunchCounters one{100, kUnit, kUnit, kUnit, kUnit, 8, 9, 10, 11};
  one.load.read_bytes = 50;
  LaunchCounters sum = one;
  sum += one;
  EXPECT_EQ(sum.cycles, 200u);
  EXPECT_EQ(sum.fetch, (UnitCounters{2, 4, 6, 8, 10, 12, 14}));
  EXPECT_EQ(sum.load, (UnitCounters{2, 4, 6, 8, 10, 100, 14}));
  EXPECT_EQ(sum.compute, sum.fetch);
  EXPECT_EQ(sum.store, sum.fetch);
  EXPECT_EQ(sum.gemm_uops, 16u);
  EXPECT_EQ(sum.alu_uops, 18u);
  EXPECT_EQ(sum.compute_waits_for_load_cycles, 20u);
  EXPECT_EQ(sum.compute_waits_for_store_cycles, 22u);
}

}  // namespace
}  // namespace vta
