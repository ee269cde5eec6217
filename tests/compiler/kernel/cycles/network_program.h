// Programs of kernels and networks on the cycle simulator.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "compiler/kernel/desc/schedule.h"
#include "isa/program/program.h"
#include "sim/cycle/program_timer.h"
#include "tests/compiler/kernel/cycles/networks.h"

namespace vta::kernel::testing {

/// Cycles that a kernel takes at least: with concurrent compute the busiest of GEMM core, ALU and
/// the two directions of the bus; otherwise GEMM core, resets and ALU together, or the bus.
struct Bound {
  double gemm_cycles = 0, reset_cycles = 0, alu_cycles = 0, read_cycles = 0, write_cycles = 0;
  double cycles(const HwConfig& hw) const;
};
Bound boundOf(const KernelDesc& desc, const HwConfig& hw);

/// Consecutive layers as one program that overlaps them.
struct NetworkLaunch {
  Program program;
  std::vector<uint64_t> addresses;
};

/// A network's layers, one after the other.
struct NetworkProgram {
  std::vector<NetworkLaunch> launches;  // one, but for networks with host steps in between
  std::vector<Program> layers;          // each for itself
};
/// All launches, one after the other: the sums of their counters.
Result<LaunchCounters> runNetwork(const NetworkProgram& network, sim::ProgramTimer& timer);

Result<NetworkProgram> lowerNetwork(std::span<const NetworkLayer> layers,
                                    std::span<const Schedule> schedules, const HwConfig& hw);

/// The schedule of every layer: the compiler's choice with `timer`, the analytic default without.
Result<std::vector<Schedule>> chooseSchedules(std::span<const NetworkLayer> layers,
                                              const HwConfig& hw, sim::ProgramTimer* timer);

}  // namespace vta::kernel::testing
