// Performance counters of a launch: the same names in the functional and cycle simulators, the RTL
// and boards.
#pragma once

#include <array>
#include <cstdint>

namespace vta {

/// One unit's performance counters (docs/timing.md). Every cycle of a launch is busy, one of the
/// stalls, or idle.
struct UnitCounters {
  uint64_t instructions = 0;
  uint64_t busy_cycles = 0;
  uint64_t stall_token_cycles = 0;   // waiting for a dependence token
  uint64_t stall_memory_cycles = 0;  // waiting for the bus
  uint64_t stall_hazard_cycles = 0;  // waiting for an in-flight result or a busy engine
  uint64_t read_bytes = 0;
  uint64_t write_bytes = 0;

  /// In the order of reg::UnitCounter, as the hardware's registers have them.
  std::array<uint64_t, 7> values() const;
  static UnitCounters fromValues(const std::array<uint64_t, 7>& values);

  UnitCounters& operator+=(const UnitCounters& other);
  bool operator==(const UnitCounters&) const = default;
};

/// Counters of one launch, or sums over several. A backend without timing leaves the cycle counters
/// zero.
struct LaunchCounters {
  uint64_t cycles = 0;
  UnitCounters fetch;
  UnitCounters load;
  UnitCounters compute;
  UnitCounters store;
  uint64_t gemm_uops = 0;  // GEMM micro-op executions, resets included
  uint64_t alu_uops = 0;   // ALU micro-op executions
  /// Of compute.stall_token_cycles, those that wait for load and those that wait for store. Only
  /// simulators know; 0 and 0 elsewhere.
  uint64_t compute_waits_for_load_cycles = 0;
  uint64_t compute_waits_for_store_cycles = 0;

  LaunchCounters& operator+=(const LaunchCounters& other);
  bool operator==(const LaunchCounters&) const = default;
};

}  // namespace vta
