// Schedules of chains, found by measuring.
#pragma once

#include <cstdint>
#include <optional>

#include "base/status.h"
#include "compiler/kernel/chain/chain.h"
#include "compiler/kernel/schedule/schedule_chooser.h"
#include "isa/config/hw_config.h"

namespace vta::kernel {

/// A schedule of a chain, and what its program takes by itself.
struct FoundChain {
  ChainSchedule schedule;
  uint64_t cycles = 0;
};

/// The fastest of `trials` schedules of a chain (checkChain): a third of them are drawn at random,
/// the others differ in one decision from the fastest so far. What cannot be faster than that is
/// not measured, and is none of the trials. Nothing where none takes fewer than `limit_cycles`. The
/// same arguments give the same result. Errors: those of `hints.measure`, which has to be there.
Result<std::optional<FoundChain>> searchChain(const Chain& chain, const HwConfig& hw,
                                              const ScheduleHints& hints, uint64_t limit_cycles,
                                              int trials);

}  // namespace vta::kernel
