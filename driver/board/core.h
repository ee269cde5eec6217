// The core behind its registers: identification, launches, results.
#pragma once

#include <array>
#include <cstdint>
#include <map>

#include "base/status.h"
#include "driver/board/mapping.h"
#include "driver/device.h"
#include "isa/registers/counters.h"
#include "isa/registers/identity.h"
#include "isa/registers/registers.h"

namespace vta::driver {

/// What the status register says.
struct CoreStatus {
  bool running = false;
  bool done = false;
  bool fault = false;
  bool refused = false;
};

/// Programs the registers of docs/isa.md, "Control registers". Writes only what has changed, since
/// an access of the programmable logic takes a fifth of a microsecond.
class Core {
 public:
  /// `registers` must outlive the core.
  explicit Core(const Registers& registers) : registers_(registers) {}

  HardwareIdentity identity() const;

  /// Ok when the hardware runs programs for `hw`. Errors: nothing answers, something else does,
  /// another configuration; both configurations are named.
  Status identify(const HwConfig& hw) const;

  /// A configuration whose programs the hardware runs, from its registers. Errors: as identify;
  /// those of configurationOf.
  Result<HwConfig> configuration() const;

  CoreStatus status() const;

  /// Enables the core's interrupt and acknowledges an old one. For the first time, and behind a
  /// reset of the logic.
  void initialise();
  void acknowledgeInterrupt() const;
  bool interruptPending() const;

  void start(const Launch& launch);

  /// A launch that ends at once with a fault and an interrupt, and touches no memory.
  void startBadLaunch() { start(Launch{}); }

  /// Of a launch that is over.
  LaunchCounters counters() const;
  reg::FaultCode faultCode() const;
  uint32_t faultInstruction() const;

  /// Instructions that fetch, load, compute and store have done so far.
  std::array<uint32_t, 4> progress() const;

 private:
  void set(uint32_t offset, uint32_t value);

  const Registers& registers_;
  std::map<uint32_t, uint32_t> written_;  // values of registers that keep them
};

}  // namespace vta::driver
