// What differs between register maps of cores: identification, launches, results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "base/status.h"
#include "driver/device.h"
#include "isa/config/hw_config.h"
#include "isa/registers/counters.h"
#include "isa/registers/registers.h"

namespace vta::driver {

/// What a core says about the launch that it runs, or ran last.
struct CoreStatus {
  bool running = false;
  bool done = false;
  bool fault = false;
  bool refused = false;
  bool draining = false;  // the memory owes answers to a launch that was given up
};

/// A core behind its registers. What a map does not have reads as zero.
class CoreMap {
 public:
  virtual ~CoreMap() = default;

  /// Ok when the hardware runs programs for `hw`, as far as the map tells. Errors: nothing answers,
  /// something else does, another configuration.
  virtual Status identify(const HwConfig& hw) const = 0;

  /// Puts bytes into the core's memory for as long as the device lives, and returns where.
  using Keep = std::function<Result<uint64_t>(std::span<const std::byte> bytes)>;

  /// Makes what the core needs of the device before its first launch. No launch may run. Errors:
  /// those of `keep`; kUnsupported when the registers turn out to be others.
  virtual Status prepare(const HwConfig& /*hw*/, const Keep& /*keep*/) { return {}; }

  virtual CoreStatus status() const = 0;

  /// Makes the core ready for launches. For the first time, and behind a reset of the logic.
  virtual void initialise() = 0;

  /// Whether the core can raise an interrupt; without one the next three do nothing.
  virtual bool hasInterrupt() const = 0;
  virtual void acknowledgeInterrupt() const {}
  virtual bool interruptPending() const { return false; }
  /// A launch that ends at once with a fault and an interrupt, and touches no memory.
  virtual void startBadLaunch() {}

  /// Errors: a launch that the map cannot express; the core does not take it.
  virtual Status start(const Launch& launch) = 0;

  /// Whether stop() gives up a launch that does not end; without it nothing but new logic does.
  virtual bool canStop() const { return false; }
  /// Logic that is older than the reset goes on running.
  virtual void stop() {}

  /// How far the launch that runs has come: "fetch has handed out 3; ...".
  virtual std::string progress() const = 0;

  // Of a launch that is over.
  virtual LaunchCounters counters() const { return {}; }
  virtual reg::FaultCode faultCode() const { return reg::FaultCode::kNone; }
  virtual uint32_t faultInstruction() const { return 0; }
};

}  // namespace vta::driver
