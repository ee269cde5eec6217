// A processor model that does what a driver does: sets registers, launches, sleeps, reads results.
#pragma once

#include <cstdint>
#include <optional>
#include <systemc>
#include <vector>

#include <tlm.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/tlm_quantumkeeper.h>

#include "sim/common/dram.h"

namespace vta::sim {

/// A program that lies in memory.
struct PlatformJob {
  uint64_t instruction_address = 0;  ///< of the encoded stream
  uint32_t instruction_count = 0;    ///< with FINISH
  BaseAddresses bases;               ///< that the processor writes to the base registers
};

/// What the processor read from the registers after the interrupt.
struct PlatformOutcome {
  uint32_t status = 0;             ///< register STATUS
  uint32_t fault = 0;              ///< register FAULT
  uint32_t fault_instruction = 0;  ///< its number in the stream; only with a fault
  std::vector<uint64_t> counters;  ///< 64-bit counters from reg::kCounterCycles on
  sc_core::sc_time duration;       ///< from the write of the launch bit to the interrupt
};

/// Loosely timed, running ahead by up to the global quantum. One job at a time.
class PlatformCpu final : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<PlatformCpu> socket;  ///< to the bus with memory and registers
  sc_core::sc_in<bool> irq;                                ///< the accelerator's interrupt line

  /// An access of a register takes `clock_period` beside the time of the bus.
  PlatformCpu(sc_core::sc_module_name name, const sc_core::sc_time& clock_period);

  /// The job runs with the next sc_start.
  void start(const PlatformJob& job);
  /// Of the last job; none while it has not ended.
  const std::optional<PlatformOutcome>& outcome() const { return outcome_; }
  /// Register accesses that were answered with an error.
  uint64_t errors() const { return errors_; }

 private:
  void run();
  void launch(const PlatformJob& job);
  void writeAddress(uint32_t low, uint32_t high, uint64_t address);
  void write(uint32_t offset, uint32_t value);
  uint32_t read(uint32_t offset);
  void access(tlm::tlm_command command, uint32_t offset, uint32_t& value);

  sc_core::sc_time period_;
  sc_core::sc_event started_;
  std::optional<PlatformJob> job_;
  std::optional<PlatformOutcome> outcome_;
  uint64_t errors_ = 0;
  tlm_utils::tlm_quantumkeeper keeper_;
};

}  // namespace vta::sim
