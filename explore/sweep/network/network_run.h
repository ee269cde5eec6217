// NetworkRunner: the exact cycles of a whole network on one accelerator, without code for the host.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/status.h"
#include "compiler/kernel/desc/schedule.h"
#include "compiler/module/module_outline.h"
#include "isa/config/hw_config.h"
#include "isa/registers/counters.h"
#include "sim/energy/energy_events.h"
#include "sim/memory/memory_config.h"

namespace vta::driver {
class Device;
}

namespace vta::sweep {

/// The launches of one run.
struct NetworkRun {
  std::vector<LaunchCounters> launches;
  LaunchCounters counters;  // their sum
  sim::EnergyEvents events;
  uint64_t program_bytes = 0;
};

/// One accelerator with one memory. Runs may go on at the same time.
class NetworkRunner {
 public:
  /// `device_bytes`: how much the memory holds.
  NetworkRunner(HwConfig hw, sim::MemoryConfig memory, uint64_t device_bytes = uint64_t{1} << 30)
      : hw_(std::move(hw)), memory_(std::move(memory)), device_bytes_(device_bytes) {}

  /// Lowers the kernels of `outline` with `schedules`, one for each in their order, links launches
  /// and runs them on the cycle simulator at the addresses that a session gives them: the cycles
  /// are those of `vta-run --sim=cycle` with these schedules and this memory. Errors: a schedule
  /// that has no program on this accelerator (the message names the layer), faults.
  Result<NetworkRun> run(const compiler::ModuleOutline& outline,
                         std::span<const kernel::Schedule> schedules) const;

  /// The same with each kernel in a launch of its own, in the order of outline.kernels.
  Result<NetworkRun> runAlone(const compiler::ModuleOutline& outline,
                              std::span<const kernel::Schedule> schedules) const;

 private:
  Result<std::unique_ptr<driver::Device>> createDevice() const;

  HwConfig hw_;
  sim::MemoryConfig memory_;
  uint64_t device_bytes_;
};

}  // namespace vta::sweep
