// SharedDevice: a device that sessions of a server take turns on.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "base/status.h"
#include "driver/device.h"
#include "driver/remote/server/fair_queue.h"
#include "driver/remote/server/launches/buffer_map.h"

namespace vta::remote {

/// Sessions join and leave. Between these calls, the device is there and remains what it is; while
/// nobody has joined, its hardware may be programmed anew. Everything but `name`, `queue`, joining,
/// programming and what stays as it was created may be used by the holder of a turn only.
class SharedDevice {
 public:
  using Opened = Result<std::unique_ptr<driver::Device>>;
  /// Opens the device as its hardware now is.
  using Open = std::function<Opened()>;

  /// `stops_outside`: see LaunchContext.
  SharedDevice(std::string name, std::unique_ptr<driver::Device> device, bool stops_outside)
      : name_(std::move(name)), stops_outside_(stops_outside), device_(std::move(device)) {}

  /// A device whose hardware can be programmed. It need not be there: whoever joins tries again.
  SharedDevice(std::string name, Open open);

  const std::string& name() const { return name_; }
  bool stopsOutside() const { return stops_outside_; }
  FairQueue& queue() { return queue_; }

  /// A session of `client` begins. Waits while the hardware is being programmed. Errors: kIoError
  /// when `is_gone` becomes true before; why the device is not there.
  Status join(const std::string& client, const std::function<bool()>& is_gone);
  void leave(const std::string& client);

  /// Whether the device can let go of its hardware.
  bool isProgrammable() const { return open_ != nullptr; }
  /// Lets go of the hardware, until restore() or withhold(): who joins waits. Error
  /// kResourceExhausted, with their clients: there are sessions.
  Status beginProgramming();
  /// Opens the device as the hardware now is. Errors: those of opening it; it is not there then.
  Status restore();
  /// There is no device until the hardware is programmed again, and `reason` is why.
  void withhold(const Status& reason);
  /// Ok when the device is there; else why not.
  Status presence() const;

  const driver::DeviceInfo& info() const { return device_->info(); }
  driver::Device& device() { return *device_; }
  BufferMap& buffers() { return buffers_; }

  /// Before `session` uses the core: what another session has left in its scratchpads is gone, and
  /// so is a launch that did not end in time. Errors: those of Device::reset and setTracing.
  Status prepareFor(BufferMap::Owner session, bool is_traced);

  /// Runs a launch to its end. Errors: those of the device; kDeadlineExceeded.
  Result<driver::LaunchResult> run(const driver::Launch& launch, std::chrono::milliseconds limit);

 private:
  Status openAgain();
  void endProgramming();

  const std::string name_;
  const Open open_;  // null: the device stays as it was created
  const bool stops_outside_;
  FairQueue queue_;

  mutable std::mutex mutex_;  // of what follows up to device_, which does not change under sessions
  std::condition_variable changed_;
  std::multiset<std::string> clients_;  // of the sessions that have joined
  bool is_programmed_ = false;          // at this moment
  bool is_withheld_ = false;
  Status absence_;  // why there is no device
  std::unique_ptr<driver::Device> device_;

  BufferMap buffers_;
  BufferMap::Owner last_session_ = 0;  // that used the core; 0: none
  bool is_stuck_ = false;              // a launch did not end in time
  bool is_traced_ = false;
};

/// The device of a server by its name; an empty one means the only device. Errors: kNotFound,
/// kInvalidArgument, with the names that there are.
Result<SharedDevice*> findShared(std::span<const std::unique_ptr<SharedDevice>> devices,
                                 const std::string& name);

}  // namespace vta::remote
