// What a timing run reports: counters and, when asked, the times of instructions and bursts.
#pragma once

#include <optional>

#include "isa/launch/fault.h"
#include "isa/launch/recording.h"
#include "isa/registers/counters.h"

namespace vta::sim {

struct TimingResult {
  LaunchCounters counters;
  std::optional<Fault> fault;
};

}  // namespace vta::sim
