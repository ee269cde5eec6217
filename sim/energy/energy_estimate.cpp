#include "sim/energy/energy_estimate.h"

namespace vta::sim {

EnergyEstimate estimateEnergy(const EnergyEvents& events, const HwConfig& hw,
                              const EnergyTable& table, uint64_t cycles) {
  const auto sram = [&](MemoryType type, const SramTraffic& traffic) {
    const auto elem_bits =
        static_cast<double>(memoryInfo(type).sramElemBits(hw.params(), hw.uopBytes()));
    const double kib = static_cast<double>(hw.depthElems(type)) * elem_bits / 8 / 1024;
    return static_cast<double>(traffic.read_bits + traffic.write_bits) * table.sramPjPerBit(kib);
  };
  EnergyEstimate energy;
  energy.dram_pj = 8.0 * static_cast<double>(events.dram_read_bytes + events.dram_write_bytes) *
                   table.dram.pjPerBit();
  energy.sram_pj = sram(MemoryType::kUop, events.uop) + sram(MemoryType::kInp, events.inp) +
                   sram(MemoryType::kWgt, events.wgt) + sram(MemoryType::kAcc, events.acc) +
                   sram(MemoryType::kOut, events.out);
  // A multiplier has a row for each bit of the weight.
  const double multiply_pj = table.multiply_int8.pj * hw.params().wgt_width_bits / 8;
  energy.arithmetic_pj = static_cast<double>(events.macs) * (multiply_pj + table.add_int32.pj) +
                         static_cast<double>(events.alu_adds) * table.add_int32.pj +
                         static_cast<double>(events.alu_multiplies) * table.multiply_int32.pj;
  if (table.static_mw) {
    const double microseconds = static_cast<double>(cycles) / hw.params().clockMhz();
    energy.static_pj = *table.static_mw * microseconds * 1000;  // mW * us = nJ
  }
  return energy;
}

}  // namespace vta::sim
