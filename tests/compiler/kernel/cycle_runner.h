// Programs of kernels and networks on the cycle simulator.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "compiler/kernel/lower.h"
#include "isa/program.h"
#include "sim/cycle/cycle_model.h"
#include "tests/compiler/kernel/networks.h"

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
class CycleRunner {
 public:
  /// Memory of 16 cycles latency and one beat a cycle.
  static Result<CycleRunner> create(const HwConfig& hw);

  /// Runs `program` with buffer i at addresses[i]; addresses lie below addressEnd. Errors: faults.
  Result<sim::CycleCounters> run(const Program& program, std::span<const uint64_t> addresses,
                                 sim::Recording* recording = nullptr);
  /// The same with the buffers one behind the other.
  Result<sim::CycleCounters> run(const Program& program, sim::Recording* recording = nullptr);
  /// All launches, one after the other: the sums of their counters.
  Result<sim::CycleCounters> run(const NetworkProgram& network);

 private:
  HwConfig hw_;
  std::unique_ptr<sim::CycleModel> model_;
  explicit CycleRunner(HwConfig hw) : hw_(std::move(hw)) {}
};

Result<NetworkProgram> lowerNetwork(std::span<const NetworkLayer> layers,
                                    std::span<const Schedule> schedules, const HwConfig& hw);

/// The default schedule of every layer.
Result<std::vector<Schedule>> defaultSchedules(std::span<const NetworkLayer> layers,
                                               const HwConfig& hw);

}  // namespace vta::kernel::testing
