// A core behind its registers, as a virtual board has it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/status.h"
#include "isa/config/hw_config.h"
#include "sim/common/dram.h"

namespace vta::sim {

/// A multiplier that is wrong: behind each GEMM, 1 << bit too much is in an accumulator.
struct ArithmeticFault {
  uint32_t acc_element = 0;  ///< of ACC
  uint32_t lane = 0;         ///< in it, of BATCH x BLOCK_OUT
  uint32_t bit = 0;          ///< of the accumulator, from the lowest
};

/// A simulated core with its registers. Used by one thread at a time.
class BoardCore {
 public:
  virtual ~BoardCore() = default;

  /// One access of the AXI4-Lite slave.
  virtual Result<uint32_t> read(uint32_t offset) = 0;
  /// The other access. Errors: a register that cannot be written; those of the simulator that a
  /// launch starts.
  virtual Status write(uint32_t offset, uint32_t value) = 0;

  /// What a write is going to start. A virtual board tells of every write before it happens; cores
  /// that only cards have need not know.
  enum class Start : uint8_t {
    kNone,
    kTest,    // something that a driver does without work for the core
    kLaunch,  // a program
  };
  /// What writing `value` at `offset` will start; asked before write().
  virtual Start startOf(uint32_t /*offset*/, uint32_t /*value*/) { return Start::kNone; }

  /// Whether a write gives up a launch that never ends.
  virtual bool givesUp(uint32_t /*offset*/, uint32_t /*value*/) const { return false; }

  /// What a register reads as when a launch never ends; nullopt: what it read when that began.
  virtual std::optional<uint32_t> readStuck(uint32_t /*offset*/) const { return std::nullopt; }

  /// Whether a launch is running, which advance() then carries on a bit. Errors: the core hangs.
  virtual bool isBusy() const = 0;
  /// Carries the launch on by some cycles.
  virtual Status advance() = 0;

  /// The interrupt line.
  virtual bool interrupt() const = 0;

  /// Holds reset.
  virtual void reset() = 0;

  /// The next launches meet an error response of the memory, or no more.
  virtual void setBusError(bool on) = 0;

  /// From now on, GEMMs are wrong; false when this core cannot be.
  virtual bool setArithmeticFault(const std::optional<ArithmeticFault>& fault) = 0;
};

/// The simulators: exact values, counters and faults; a launch takes no time. `dram` must outlive
/// the core. Errors: those of the simulators.
Result<std::unique_ptr<BoardCore>> makeModelCore(const HwConfig& hw, Dram& dram);

/// A model of the four blocks of VTA 0.0.2 (isa/registers/four_block.h), with the values of the
/// functional simulator. They see no faults: what goes wrong hangs. Errors: kInvalidArgument for a
/// configuration without compat 0.0.2; those of the simulator.
Result<std::unique_ptr<BoardCore>> makeFourBlockCore(const HwConfig& hw, Dram& dram);

/// The Verilated RTL. Errors: those of RtlSimulator::create.
Result<std::unique_ptr<BoardCore>> makeRtlCore(const HwConfig& hw, Dram& dram);

}  // namespace vta::sim
