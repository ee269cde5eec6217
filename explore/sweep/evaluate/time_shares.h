// Where the cycles of a network go, by what they are spent on.
#pragma once

#include <cstdint>

#include "isa/config/hw_config.h"
#include "isa/registers/counters.h"

namespace vta::sweep {

/// Shares of all cycles, by what the compute unit does or waits for. Their sum is 1.
struct TimeShares {
  double array = 0;    // multiply-accumulates of the model, with all multipliers
  double lanes = 0;    // GEMM operations beyond that: multipliers without work, resets
  double alu = 0;      // what else the compute unit does: the ALU and elements it moves
  double bus = 0;      // waiting for memory that delivers as fast as it can
  double latency = 0;  // waiting for memory that does not: latency, gaps between bursts
  double control = 0;  // waiting for instructions and for earlier results
  /// The resource of the largest share; GEMM operations count together. "array", "lanes", "ALU",
  /// "memory bus", "memory latency", "control"; empty without cycles.
  const char* limit = "";
};

/// Of a network or layer with `macs` multiply-accumulates on the accelerator, by its counters.
/// `cycles_per_beat` is what a beat of the bus takes the memory, at least 1.
///
/// Waiting for loads or stores is waiting for the bus as far as the beats of the unit that is
/// waited for fill the time in which it has transfers in flight; the rest is latency.
TimeShares sharesOf(const LaunchCounters& counters, int64_t macs, const HwConfig& hw,
                    double cycles_per_beat);

}  // namespace vta::sweep
