// The golden model of the ISA (docs/isa.md): executes encoded programs on a flat memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/status.h"
#include "isa/config/hw_config.h"
#include "sim/common/dram.h"
#include "sim/common/stream.h"
#include "sim/common/violation.h"
#include "sim/functional/checker.h"
#include "sim/functional/instruction_executor.h"

namespace vta::sim {

struct FunctionalOptions {
  /// Also report reads of memory that was never written, accesses of two units to the same data
  /// that no token orders, and deadlocks that only finite command queues cause. Slower.
  bool checked = false;
};

/// Outcome of a run. With `fault`, scratchpads and memory hold what had been done before it.
struct FunctionalRun {
  Activity activity;
  std::optional<Fault> fault;
};

/// Executes the three units as decoupled in-order queues with tokens. The order among units is
/// fixed but arbitrary: a program whose result depends on it has a race, which checked mode
/// reports. Scratchpads keep their contents across runs; tokens do not.
class FunctionalModel {
 public:
  /// Errors: kUnsupported for operand widths other than 8, 8, 32 and 8 bits; kResourceExhausted
  /// when the host lacks memory.
  static Result<std::unique_ptr<FunctionalModel>> create(const HwConfig& hw,
                                                         const FunctionalOptions& options = {});

  /// Runs an encoded stream up to its FINISH. `dram` is used during the call only.
  FunctionalRun run(std::span<const std::byte> stream, const BaseAddresses& bases, Dram& dram);

  /// Executes one instruction at once, whatever its tokens: for co-simulation at retirement.
  std::optional<Violation> step(const Instruction& insn, const BaseAddresses& bases, Dram& dram);

  /// Of the current run, or the last one. From any thread.
  uint32_t executedInstructions() const { return executed_.load(std::memory_order_relaxed); }

  /// Zeroes the scratchpads and forgets what checked mode knows.
  void reset();

  /// Contents of the on-chip memories, writable for co-simulation.
  Scratchpads& scratchpads() { return executor_.pads(); }
  const Scratchpads& scratchpads() const { return executor_.pads(); }

  /// The instruction-set target that the kernels were compiled for, e.g. "AVX2".
  std::string_view kernelTarget() const { return executor_.target(); }

 private:
  FunctionalModel(const HwConfig& hw, const FunctionalOptions& options);

  std::optional<Fault> runUntilStuck(class Scheduler& scheduler, const Stream& stream,
                                     const BaseAddresses& bases, Dram& dram, Activity& activity);
  std::optional<Violation> execute(uint32_t number, const Stream& stream,
                                   const BaseAddresses& bases, Dram& dram, Activity& activity);

  HwConfig hw_;
  FunctionalOptions options_;
  InstructionExecutor executor_;
  std::unique_ptr<Checker> checker_;  // null unless checked
  StreamCache streams_;
  std::atomic<uint32_t> executed_ = 0;
};

}  // namespace vta::sim
