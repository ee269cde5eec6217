// What devices with a core behind registers have in common: launches.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "driver/board/core_map.h"
#include "driver/board/first_contact.h"
#include "driver/device.h"

namespace vta::driver {

/// Runs launches, one at a time, on a core behind registers. Derived classes know how the core's
/// memory is reached, and how to let time pass until a launch may be over.
class CoreDevice : public Device {
 public:
  const DeviceInfo& info() const final { return info_; }
  Status submit(const Launch& launch) final;
  Result<LaunchResult> wait(std::chrono::milliseconds timeout) final;
  Status identify() final;
  Status reset() final;

 protected:
  using Time = std::chrono::steady_clock::time_point;

  /// `busy_timeout`: how long a launch that a dead process left behind may go on.
  CoreDevice(DeviceInfo info, std::unique_ptr<CoreMap> core,
             std::chrono::milliseconds busy_timeout);

  CoreMap& core() { return *core_; }
  bool isSubmitted() const { return submitted_.has_value(); }

  /// Waits until no launch runs, and gives up one of another process that runs for too long.
  /// Errors: those of stopLaunch.
  Status probeIdle();

  /// Whether the core's last launch ended well: it has been programmed, and nothing has failed
  /// since.
  bool isProven() const;

  /// Runs the self test of a device that is ready otherwise, when `contact` wants it of a core that
  /// is proven or not. Errors: kDeviceFault with what failed; the core is not proven then.
  Status meet(FirstContact contact, bool is_proven);

  /// Lets time pass by polling: not at all at first, then a sixteenth of the time since `start`, so
  /// that the end of a launch is noticed late by at most that much. Not beyond `deadline`.
  static void sleepBetweenPolls(Time start, Time deadline);

  /// Ok when the range lies in one buffer.
  virtual Status checkRange(uint64_t address, uint64_t size_bytes) const = 0;

  /// Before each launch. Errors: the launch does not start.
  virtual Status prepareLaunch() { return {}; }

  /// Lets time pass until the launch that began at `start` may be over, not beyond `deadline`.
  virtual Status sleep(Time start, Time deadline) = 0;

  /// Whether registers could be accessed. Errors: that of the first access that failed; from then
  /// on, values mean nothing.
  virtual Status accessStatus() const { return {}; }

 private:
  bool isBusy() const;
  /// Gives up the launch of `whose`, which may have ended. Errors: kResourceExhausted when it goes
  /// on all the same, or when the memory has not answered what it had asked for.
  Status stopLaunch(std::string_view whose);
  Result<bool> waitDone(Time deadline);
  Status checkAlive();
  Status timeoutStatus(std::chrono::milliseconds timeout) const;
  LaunchResult takeResult();
  Fault readFault();

  DeviceInfo info_;
  std::unique_ptr<CoreMap> core_;
  std::chrono::milliseconds busy_timeout_;
  std::optional<Launch> submitted_;
  std::optional<Fault> refused_;  // of a launch that did not reach the core
};

/// When polling begins to sleep.
inline constexpr std::chrono::microseconds kSpinTime{100};
/// An interrupt may get lost: the status is read at least this often.
inline constexpr std::chrono::milliseconds kLongestSleep{20};

}  // namespace vta::driver
