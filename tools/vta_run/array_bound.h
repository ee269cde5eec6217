// How much of the GEMM array a layer could use at best on its accelerator, and what stands in the
// way.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "driver/runtime/session.h"
#include "isa/config/hw_config.h"

namespace vta::tools {

struct ArrayBound {
  /// Share of all multipliers' cycles in [0, 1] if the busiest resource never waited; none for a
  /// layer without multiply-accumulates.
  std::optional<double> utilisation;
  /// "array" (nothing else), "lanes" (channels, groups or the batch fill a part of each operation),
  /// "ALU", "reading" or "writing".
  std::string limit;
};

/// Cycles in which the ALU of `hw` works: with fewer lanes it takes several for an element.
double aluCycles(const HwConfig& hw, const LaunchCounters& counters);

/// Of a layer with `macs` multiply-accumulates that did what `counters` say on `hw`. None where it
/// did nothing there.
std::optional<ArrayBound> arrayBound(const HwConfig& hw, int64_t macs,
                                     const LaunchCounters& counters);

}  // namespace vta::tools
