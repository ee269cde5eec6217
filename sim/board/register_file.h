// The control registers of docs/isa.md, for cores that are no RTL.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>

#include "isa/config/hw_config.h"
#include "isa/launch/fault.h"
#include "isa/registers/counters.h"
#include "sim/common/dram.h"

namespace vta::sim {

/// Registers and the life of a launch: started by a write, ended by finish().
class RegisterFile {
 public:
  explicit RegisterFile(const HwConfig& hw) : hw_(hw) {}

  uint32_t read(uint32_t offset) const;
  void write(uint32_t offset, uint32_t value);

  bool isRunning() const { return running_; }
  bool interrupt() const { return (irq_enable_ & irq_status_) != 0; }

  uint64_t instructionAddress() const;
  uint32_t instructionCount() const;
  BaseAddresses bases() const;

  /// Ends the launch that is running.
  void finish(const LaunchCounters& counters, reg::FaultCode fault, uint32_t instruction);

  void reset() { *this = RegisterFile(hw_); }

 private:
  uint32_t readCounter(uint32_t offset) const;
  uint64_t parameter(uint32_t low, uint32_t high) const;
  void launch();
  bool isBadLaunch() const;

  HwConfig hw_;
  std::map<uint32_t, uint32_t> parameters_;
  uint32_t user_ = 0;
  uint32_t irq_enable_ = 0;
  uint32_t irq_status_ = 0;
  bool running_ = false;
  bool done_ = false;
  bool refused_ = false;
  LaunchCounters counters_;
  reg::FaultCode fault_ = reg::FaultCode::kNone;
  uint32_t fault_instruction_ = 0;
};

}  // namespace vta::sim
