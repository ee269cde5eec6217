// What timelines draw of a launch besides its instructions: tokens on their way, use of the bus.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "isa/launch/recording.h"
#include "isa/program/program.h"

namespace vta::tools {

/// A token from the instruction that pushed it to the one that popped it.
struct TokenFlow {
  const char* name = "";  // "load to compute"
  uint32_t from = 0;      // numbers in the launch
  uint32_t to = 0;
};

/// Every token whose two instructions ran, by direction. `trace` is of a launch of `program`.
std::vector<TokenFlow> tokenFlows(const Recording& trace, const Program& program);

/// Percent of the beats that a channel could have moved, by BusMaster.
using BusShares = std::array<double, 4>;

/// The shares in windows of `window_cycles` from cycle 0 on; the last may be shorter.
std::vector<BusShares> busShares(const Recording& trace, uint64_t window_cycles);

/// A window for so many cycles that keeps plots and files small.
uint64_t busWindowCycles(uint64_t cycles);

}  // namespace vta::tools
