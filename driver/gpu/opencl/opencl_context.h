// The connection to one GPU that OpenCL drives: what its buffers and programs share.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/status.h"
#include "driver/gpu/gpu_device.h"
#include "driver/gpu/opencl/opencl_api.h"

namespace vta::driver::opencl {

/// A reference to an object of OpenCL, which counts them. What runs keeps what it uses.
template <typename T>
class Owned {
 public:
  using Release = Int (*)(T);

  Owned() = default;
  Owned(T object, Release release) : object_(object), release_(release) {}
  Owned(Owned&& other) noexcept { *this = std::move(other); }
  Owned& operator=(Owned&& other) noexcept {
    std::swap(object_, other.object_);
    std::swap(release_, other.release_);
    return *this;
  }
  ~Owned() {
    if (object_ != nullptr) (void)release_(object_);
  }
  T get() const { return object_; }

 private:
  T object_ = nullptr;
  Release release_ = nullptr;
};

/// A device of a platform.
struct PhysicalDevice {
  Device handle = nullptr;
  bool divides_exactly = false;  // floats, if it is told to
  GpuDeviceInfo info;
};

/// All devices of OpenCL that run our kernels. Errors: no driver.
Result<std::vector<PhysicalDevice>> findDevices(const OpenClApi& api);

class OpenClContext {
 public:
  static Result<std::shared_ptr<OpenClContext>> create(const OpenClApi& api,
                                                       const PhysicalDevice& device);

  const OpenClApi& api() const { return api_; }
  const PhysicalDevice& device() const { return device_; }
  Context get() const { return context_.get(); }
  /// Of kernels; and of copies, which neither wait for kernels nor hold them up: who wants a copy
  /// of what a kernel writes has waited for that before.
  Queue queue() const { return queue_.get(); }
  Queue copies() const { return copies_.get(); }

  /// Waits for `last`, the last of the commands in the queue. Errors: kDeadlineExceeded, after
  /// which checkIdle() fails until it has ended; kDeviceFault.
  Status waitFor(Owned<Event> last, std::chrono::milliseconds timeout);

  /// Errors: kDeadlineExceeded while a command runs that did not end in time.
  Status checkIdle();

 private:
  OpenClContext(const OpenClApi& api, const PhysicalDevice& device) : api_(api), device_(device) {}
  /// Ok and true when `event` has ended. Errors: kDeviceFault.
  Result<bool> hasEnded(Event event) const;

  OpenClApi api_;
  PhysicalDevice device_;
  Owned<Context> context_;
  Owned<Queue> queue_, copies_;
  std::mutex mutex_;   // of what follows
  Owned<Event> late_;  // of a run that did not end in time
};

}  // namespace vta::driver::opencl
