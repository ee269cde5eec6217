// Which kernels of a network run as chains.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "compiler/kernel/chain/chain.h"
#include "compiler/kernel/schedule/schedule_chooser.h"
#include "isa/config/hw_config.h"

namespace vta::kernel {

/// A kernel, and how it runs by itself.
struct ScheduledKernel {
  KernelDesc desc;
  Schedule schedule;
  bool operator==(const ScheduledKernel&) const = default;
};

/// Two kernels by their numbers: the first one's output is the second one's input, and nothing else
/// reads it.
struct KernelPair {
  size_t producer = 0;
  size_t consumer = 0;
};

/// A pair that is faster as a chain.
struct ChosenChain {
  KernelPair pair;
  ChainSchedule schedule;
  uint64_t won_cycles = 0;  // beside the two kernels one after the other
};

/// Schedules of each chain that are measured.
inline constexpr int kChainTrials = 60;

/// Of `pairs`, whose consumers are behind their producers, those that together win most cycles,
/// and no two of which have a kernel in common; in the order of their consumers. `hints.measure`
/// decides; without it none are chosen. Equal pairs are searched once, hints.threads at the same
/// time. Errors: those of the measurement.
Result<std::vector<ChosenChain>> chooseChains(std::span<const ScheduledKernel> kernels,
                                              std::span<const KernelPair> pairs, const HwConfig& hw,
                                              const ScheduleHints& hints,
                                              int trials = kChainTrials);

/// For ScheduleHints where there is no simulator: a program costs what it takes at least. A chain
/// moves less than its kernels, so nearly every pair wins.
MeasureProgram measureFloors(const HwConfig& hw, const MemoryTraits& memory = {});

}  // namespace vta::kernel
