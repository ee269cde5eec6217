// The energy of a program, estimated from its events and a table of what each costs.
#pragma once

#include "isa/config/hw_config.h"
#include "sim/energy/energy_events.h"
#include "sim/energy/energy_table.h"

namespace vta::sim {

/// In picojoules.
struct EnergyEstimate {
  double dram_pj = 0;
  double sram_pj = 0;
  double arithmetic_pj = 0;
  double static_pj = 0;  ///< 0 where the table has no figure

  double totalPj() const { return dram_pj + sram_pj + arithmetic_pj + static_pj; }
};

/// `cycles` may be 0: then the static part is not known and left out.
EnergyEstimate estimateEnergy(const EnergyEvents& events, const HwConfig& hw,
                              const EnergyTable& table, uint64_t cycles);

}  // namespace vta::sim
