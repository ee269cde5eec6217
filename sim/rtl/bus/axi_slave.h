// The memory side of one of the core's AXI4 masters, cycle by cycle.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "sim/memory/bus_errors.h"
#include "sim/memory/memory_model.h"
#include "sim/random/rng.h"
#include "sim/rtl/bus/axi_memory.h"

namespace vta::sim {

/// Answers the bursts of a port from device memory. In each cycle: drive(), settle the core,
/// observe().
class AxiSlave {
 public:
  virtual ~AxiSlave() = default;

  /// Forgets all bursts: the core is in reset.
  virtual void reset() = 0;
  /// A launch begins: the cycle that follows is its cycle 0. Nothing is in flight.
  virtual void beginLaunch() = 0;
  /// From the next launch on, the bursts that are answered with errors. Ignored by a random slave.
  virtual void injectErrors(const BusErrors& errors) { static_cast<void>(errors); }
  /// Sets the ready signals, read data and responses of this cycle.
  virtual void drive(VtaAxiPort& ports) = 0;
  /// Takes the handshakes of the settled cycle, and goes on to the next one.
  virtual void observe(const VtaAxiPort& ports) = 0;
};

/// Timing by a memory model, exactly: what the cycle simulator predicts. The slaves of several
/// ports share the model; in each cycle they observe in the order of their ports.
std::unique_ptr<AxiSlave> makeTimedSlave(AxiMemory memory, MemoryModel& model, int port = 0);

/// How a random slave misbehaves, within the rules of AXI. Chances are 1 in n cycles or bursts; 0
/// is never.
struct RandomBusOptions {
  uint64_t seed = 1;
  uint32_t stall_one_in = 3;     ///< each ready signal low, no beat, no response
  uint32_t max_latency = 40;     ///< cycles from acceptance to the first beat or the response
  uint32_t error_one_in = 0;     ///< bursts with a slave error
  uint32_t max_outstanding = 8;  ///< of each kind
};

/// Random back-pressure; bursts of different ids are reordered and interleaved; random errors.
std::unique_ptr<AxiSlave> makeRandomSlave(AxiMemory memory, const RandomBusOptions& options);

}  // namespace vta::sim
