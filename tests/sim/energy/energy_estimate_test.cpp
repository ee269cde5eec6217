#include "sim/energy/energy_estimate.h"

#include <gtest/gtest.h>

namespace vta::sim {
namespace {

EnergyTable simpleTable() {
  EnergyTable table;
  table.multiply_int8 = {2, 0, ""};
  table.add_int32 = {1, 0, ""};
  table.multiply_int32 = {5, 0, ""};
  table.dram = {80, 8, ""};
  table.sram = {{32, {1, 1, ""}}, {256, {3, 1, ""}}};
  return table;
}

TEST(EnergyEstimateTest, SumsWhatEachEventCosts) {
  EnergyEvents events;
  events.dram_read_bytes = 3;
  events.dram_write_bytes = 4;
  events.inp.read_bits = 10;    // 32 KiB
  events.wgt.write_bits = 100;  // 256 KiB
  events.macs = 7;
  events.alu_adds = 11;
  events.alu_multiplies = 13;
  const EnergyEstimate energy =
      estimateEnergy(events, HwConfig::makeDefault(), simpleTable(), 1000);
  EXPECT_DOUBLE_EQ(energy.dram_pj, 7 * 80);
  EXPECT_DOUBLE_EQ(energy.sram_pj, 10 * 1 + 100 * 3);
  EXPECT_DOUBLE_EQ(energy.arithmetic_pj, 7 * 3 + 11 + 13 * 5);
  EXPECT_DOUBLE_EQ(energy.static_pj, 0);
  EXPECT_DOUBLE_EQ(energy.totalPj(), 560 + 310 + 97);
}

TEST(EnergyEstimateTest, NarrowWeightsTakeSmallerMultipliers) {
  EnergyEvents events;
  events.macs = 8;
  HwParams params;
  params.wgt_width_bits = 2;
  const EnergyTable table = simpleTable();
  EXPECT_DOUBLE_EQ(estimateEnergy(events, *HwConfig::create(params), table, 0).arithmetic_pj,
                   8 * (table.multiply_int8.pj / 4 + table.add_int32.pj));
}

TEST(EnergyEstimateTest, StaticPowerLastsAsLongAsTheProgram) {
  EnergyTable table = simpleTable();
  table.static_mw = 2;
  // 500 cycles at 100 MHz are 5 us; 2 mW for 5 us are 10 nJ.
  EXPECT_DOUBLE_EQ(estimateEnergy({}, HwConfig::makeDefault(), table, 500).static_pj, 10000);
}

}  // namespace
}  // namespace vta::sim
