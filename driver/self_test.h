// Known-answer self test of a device: what to run first when hardware is new or suspected.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "driver/device.h"

namespace vta::driver {

/// One test and its outcome.
struct SelfTestStep {
  enum class Outcome : uint8_t { kPassed, kFailed, kSkipped };
  std::string name;  // "load-store"
  Outcome outcome = Outcome::kPassed;
  std::string detail;  // of a failure: what differs and what to do; of a skipped test: the reason
  double seconds = 0;
};
std::string_view selfTestOutcomeName(SelfTestStep::Outcome outcome);  // "passed", ...

struct SelfTestReport {
  std::vector<SelfTestStep> steps;

  /// No step failed.
  bool passed() const;

  /// One line for each step: "load-store: passed".
  std::string text() const;
};

/// Runs, in this order,
/// - "identification": the hardware is the configuration that the device was created with;
/// - "load-store": LOAD and STORE move known bytes through the scratchpads, twice with different
///   bytes, so that stale cache lines, wrong addresses and truncated transfers show;
/// - "gemm": products of random operands, of which all 32 bits are compared;
/// - "interrupt": it arrives.
/// A step whose requirement failed is skipped. The device must have no launch submitted; everything
/// that the test allocates is freed again. Without `with_interrupt` the last step is left out. It
/// takes at most 512 KiB of device memory. Errors do not end the test: they are failures of a step,
/// and so is a launch that takes longer than `launch_limit`.
SelfTestReport selfTest(Device& device,
                        std::chrono::milliseconds launch_limit = std::chrono::seconds(30),
                        bool with_interrupt = true);

}  // namespace vta::driver
