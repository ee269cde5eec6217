// ProgramTimer: cycles of programs that are at hand, without a device.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/status.h"
#include "isa/config/hw_config.h"
#include "isa/program/program.h"
#include "sim/cycle/cycle_model.h"

namespace vta::sim {

/// Runs programs on the cycle simulator; without another memory, with one of 16 cycles latency and
/// one beat a cycle. No values are moved. Used by one thread at a time.
class ProgramTimer {
 public:
  static Result<ProgramTimer> create(const HwConfig& hw, const MemoryConfig& memory = {});

  /// Runs `program` with buffer i at addresses[i]; the instructions lie at or above
  /// addresses.back(), of which there is one more than there are buffers. Errors: faults.
  Result<LaunchCounters> run(const Program& program, std::span<const uint64_t> addresses,
                             Recording* recording = nullptr);
  /// The same with addressesOf(program, hw).
  Result<LaunchCounters> run(const Program& program, Recording* recording = nullptr);

  /// The cycles of run(program), or nothing where they are more than `most`, which is found out
  /// sooner. Errors: faults.
  Result<std::optional<uint64_t>> cyclesUpTo(const Program& program, uint64_t most);

  /// Addresses for run: the buffers one behind the other.
  static std::vector<uint64_t> addressesOf(const Program& program, const HwConfig& hw);

 private:
  explicit ProgramTimer(HwConfig hw) : hw_(std::move(hw)) {}

  HwConfig hw_;
  std::unique_ptr<CycleModel> model_;
};

}  // namespace vta::sim
