// SharedDevice: a device that sessions of a server take turns on.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/status.h"
#include "driver/device.h"
#include "driver/remote/server/buffer_map.h"
#include "driver/remote/server/fair_queue.h"

namespace vta::remote {

/// Everything but `name`, `queue` and what stays as it was created may be used by the holder of a
/// turn only.
class SharedDevice {
 public:
  /// `stops_outside`: see LaunchContext.
  SharedDevice(std::string name, std::unique_ptr<driver::Device> device, bool stops_outside)
      : name_(std::move(name)), device_(std::move(device)), stops_outside_(stops_outside) {}

  const std::string& name() const { return name_; }
  const driver::DeviceInfo& info() const { return device_->info(); }
  bool stopsOutside() const { return stops_outside_; }
  FairQueue& queue() { return queue_; }

  driver::Device& device() { return *device_; }
  BufferMap& buffers() { return buffers_; }

  /// Before `session` uses the core: what another session has left in its scratchpads is gone, and
  /// so is a launch that did not end in time. Errors: those of Device::reset and setTracing.
  Status prepareFor(BufferMap::Owner session, bool is_traced);

  /// Runs a launch to its end. Errors: those of the device; kDeadlineExceeded.
  Result<driver::LaunchResult> run(const driver::Launch& launch, std::chrono::milliseconds limit);

 private:
  const std::string name_;
  const std::unique_ptr<driver::Device> device_;
  const bool stops_outside_;
  FairQueue queue_;
  BufferMap buffers_;
  BufferMap::Owner last_session_ = 0;  // that used the core; 0: none
  bool is_stuck_ = false;              // a launch did not end in time
  bool is_traced_ = false;
};

}  // namespace vta::remote
