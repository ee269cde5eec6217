// Which schedules of a network's kernels are kept: kernels are tuned alone, but overlap in a run.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/kernel/desc/kernel_desc.h"
#include "compiler/kernel/desc/schedule.h"
#include "compiler/module/module_outline.h"
#include "explore/sweep/network/network_run.h"
#include "explore/tune/database/network_record.h"

namespace vta::sweep {

/// A kernel that a network has once or more, and the two schedules that it may get.
struct NetworkKernel {
  std::string workload;
  kernel::Schedule untuned;               // what the compiler chooses by itself
  std::optional<kernel::Schedule> tuned;  // the fastest that tuning has found for the kernel alone
};

/// How long to look for a better choice than one schedule of a kind for all kernels.
struct ChoiceEffort {
  int64_t most_runs = 64;              // of the network; at least two are made
  uint64_t most_cycles = 400'000'000;  // of all runs; after it no other one begins
};

/// Called after each run with the number of runs and the most that there will be.
using ChoiceProgress = std::function<void(int64_t runs, int64_t most_runs)>;

/// For each of the kernels, whether its tuned schedule is kept.
struct KernelChoice {
  std::vector<bool> is_tuned;
  uint64_t untuned_cycles = 0;  // of the network with no tuned schedule
  uint64_t tuned_cycles = 0;    // with all of them
  uint64_t cycles = 0;          // with those that are kept: no more than either
  int64_t runs = 0;
};

/// Starts from the faster of no and all tuned schedules, changes one kernel at a time, then
/// neighbours together, and keeps what makes the network faster. `are_equal[i]`: kernel i has no
/// choice. `measure` gives the network's cycles. Errors: those of `measure`.
Result<KernelChoice> chooseKernels(
    const std::vector<bool>& are_equal,
    const std::function<Result<uint64_t>(const std::vector<bool>& is_tuned)>& measure,
    const ChoiceEffort& effort, const ChoiceProgress& progress = {});

/// What identifies a network among those of one accelerator and memory: its kernels in their order.
std::string networkFingerprint(std::span<const kernel::KernelDesc> kernels);
std::vector<kernel::KernelDesc> kernelsOf(const compiler::ModuleOutline& outline);

/// chooseKernels for the kernels of `outline`, all of which are in `kernels`, by runs on the cycle
/// simulator. Errors: those of NetworkRunner::run.
Result<tune::NetworkRecord> chooseForNetwork(const compiler::ModuleOutline& outline,
                                             std::span<const NetworkKernel> kernels,
                                             const NetworkRunner& runner,
                                             const ChoiceEffort& effort,
                                             const ChoiceProgress& progress = {});

}  // namespace vta::sweep
