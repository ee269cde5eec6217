// The control registers (isa/registers/registers.h) as state: what hw/vta_rtl/core/vta_regs.sv
// does, without time.
#pragma once

#include <array>
#include <cstdint>
#include <map>

#include "isa/config/hw_config.h"
#include "isa/launch/fault.h"
#include "isa/registers/counters.h"
#include "isa/registers/identity.h"
#include "isa/registers/registers.h"
#include "sim/common/dram.h"

namespace vta::sim {

/// Offsets are in bytes and multiples of 4. Registers that do not exist read as 0 and ignore
/// writes.
class RegisterFile {
 public:
  /// As after reset, with the identification of `hw`.
  explicit RegisterFile(const HwConfig& hw);

  /// One read of the bus.
  uint32_t read(uint32_t offset) const;

  /// True when the write starts a launch: from then on the file is running. While it runs, launch
  /// parameters cannot be written, and a further launch is refused. A reset ends it; its bursts are
  /// taken to be answered.
  bool write(uint32_t offset, uint32_t value);

  /// A launch has begun and has not ended.
  bool running() const { return running_; }
  /// What `cycles` reads as while a launch runs.
  void setRunningCycles(uint64_t cycles) { counters_.cycles = cycles; }
  /// The launch has ended: sets status, counters and interrupt bits.
  void finish(const LaunchCounters& counters, reg::FaultCode fault, uint32_t fault_instruction);
  bool irq() const { return (irq_status_ & irq_enable_) != 0; }

  /// The launch parameters.
  uint32_t instructionCount() const { return word(reg::kInsnCount); }
  uint64_t instructionAddress() const { return address(reg::kInsnAddr, reg::kInsnAddrHi); }
  BaseAddresses bases() const;
  /// True when the hardware refuses them with FaultCode::kBadLaunch.
  bool isBadLaunch() const;

 private:
  uint32_t word(uint32_t offset) const { return words_.at(offset); }
  uint64_t address(uint32_t low, uint32_t high) const {
    return uint64_t{word(high)} << 32 | word(low);
  }
  uint32_t status() const;
  uint64_t counter(uint32_t offset) const;
  bool pastBus(uint64_t address) const;
  bool isBadBase(uint64_t address, MemoryType type) const;

  HwConfig hw_;
  HardwareIdentity identity_;
  std::map<uint32_t, uint32_t> words_;  // launch parameters and the user's word, by offset
  uint32_t irq_enable_ = 0;
  uint32_t irq_status_ = 0;
  bool running_ = false;
  bool done_ = false;
  bool refused_ = false;
  reg::FaultCode fault_ = reg::FaultCode::kNone;
  uint32_t fault_instruction_ = 0;
  LaunchCounters counters_;
};

}  // namespace vta::sim
