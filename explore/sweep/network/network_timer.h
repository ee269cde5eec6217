// NetworkTimer: the exact cycles of a whole network on one accelerator, without code for the host.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "compiler/kernel/desc/schedule.h"
#include "compiler/kernel/schedule/schedule_chooser.h"
#include "compiler/module/module_outline.h"
#include "explore/sweep/network/network_run.h"
#include "isa/config/hw_config.h"
#include "isa/registers/counters.h"
#include "sim/energy/energy_events.h"
#include "sim/memory/memory_config.h"

namespace vta::sweep {

/// How schedules are chosen.
struct Effort {
  enum Kind : uint8_t {
    kEstimated,  // the analytic model's best
    kSimulated,  // the best candidates run on the cycle simulator
    kSearched,   // a searcher of the tuner has a budget for each kernel; what makes the network
                 // slower than the best candidates is not taken
  };

  Effort() = default;
  Effort(Kind of_kind) : kind(of_kind) {}  // NOLINT(google-explicit-constructor)
  Effort(std::string searcher_name, int64_t trial_count)
      : kind(kSearched), searcher(std::move(searcher_name)), trials(trial_count) {}

  Kind kind = kEstimated;
  std::string searcher = {};  // of kSearched
  int64_t trials = 0;         // of each kernel
};
/// "estimated", "simulated", "searched learned 64".
std::string effortName(const Effort& effort);
/// Error: effortName writes no such text.
Result<Effort> parseEffort(const std::string& name);

/// A layer in a launch of its own: "alone" in vta-run --profile. In the network it overlaps with
/// its neighbours.
struct LayerTime {
  std::string layer;
  int64_t macs = 0;
  LaunchCounters counters;
};

/// Sums over the launches of one run of a network.
struct NetworkTime {
  LaunchCounters counters;
  sim::EnergyEvents events;
  int64_t launches = 0;
  int64_t macs_on_vta = 0;
  int64_t macs_on_cpu = 0;
  int64_t kernels = 0;
  int64_t host_steps = 0;
  uint64_t program_bytes = 0;
  uint64_t activation_bytes = 0;  // of the device's arena
};

/// Schedules that are known already, by the kernel that they are for; and who is told of new ones.
struct ScheduleMemory {
  std::function<std::optional<kernel::Schedule>(const kernel::KernelDesc&)> find = {};
  std::function<void(const kernel::KernelDesc&, const kernel::Schedule&)> keep = {};
};

/// One accelerator with one memory.
class NetworkTimer {
 public:
  NetworkTimer(HwConfig hw, sim::MemoryConfig memory, Effort effort)
      : hw_(std::move(hw)),
        memory_(std::move(memory)),
        effort_(std::move(effort)),
        runner_(hw_, memory_) {}

  /// Lowers the kernels, links launches and runs them on the cycle simulator, at the addresses that
  /// vta-run gives them: the cycles are those of `vta-run --sim=cycle` with --schedules of the
  /// effort's name (but for kSearched) and the same --dram. Errors: a kernel that has no schedule
  /// or program on this accelerator (the message names the layer), faults.
  Result<NetworkTime> run(const compiler::ModuleOutline& outline, const ScheduleMemory& known = {});

  /// Each kernel in a launch of its own.
  Result<std::vector<LayerTime>> runLayers(const compiler::ModuleOutline& outline,
                                           const ScheduleMemory& known = {});

 private:
  Result<std::vector<kernel::Schedule>> chooseSchedules(const compiler::ModuleOutline& outline,
                                                        const ScheduleMemory& known);
  Result<std::vector<kernel::Schedule>> keepFaster(const compiler::ModuleOutline& outline,
                                                   std::vector<kernel::Schedule> found) const;
  Result<kernel::Schedule> searched(const kernel::KernelDesc& desc);

  HwConfig hw_;
  sim::MemoryConfig memory_;
  Effort effort_;
  NetworkRunner runner_;
  std::map<std::string, kernel::Schedule> searched_;  // by workload
};

}  // namespace vta::sweep
