// The connection to one GPU that CUDA drives: what its buffers and programs share.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "base/status.h"
#include "driver/gpu/cuda/cuda_api.h"
#include "driver/gpu/gpu_device.h"

namespace vta::driver::cuda {

/// All GPUs of the driver. Errors: its own.
Result<std::vector<GpuDeviceInfo>> describeGpus(const CudaApi& api);

class CudaContext {
 public:
  /// The GPU of this number. Errors: the driver's.
  static Result<std::shared_ptr<CudaContext>> create(const CudaApi& api, size_t number,
                                                     const GpuDeviceInfo& info);
  ~CudaContext();
  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;

  const CudaApi& api() const { return api_; }
  const GpuDeviceInfo& info() const { return info_; }

  /// Makes this the GPU of the calling thread: before every other call.
  Status use() const { return api_.status(api_.ctxSetCurrent(context_), "cuCtxSetCurrent"); }

  /// Waits for all that has been launched. Errors: kDeadlineExceeded, after which checkIdle() fails
  /// until it has ended; kDeviceFault.
  Status waitForAll(std::chrono::milliseconds timeout);

  /// Ok if nothing runs that did not end in time; then this GPU is the thread's.
  Status checkIdle();

 private:
  CudaContext(const CudaApi& api, const GpuDeviceInfo& info) : api_(api), info_(info) {}

  CudaApi api_;
  GpuDeviceInfo info_;
  Device device_ = 0;
  Context context_ = nullptr;
  Event last_ = nullptr;
  bool may_be_busy_ = false;
};

/// An event that is destroyed with the object: nothing is, while a kernel runs that did not end in
/// time, because the driver would wait for it.
class OwnedEvent {
 public:
  static Result<OwnedEvent> create(CudaContext& context);
  OwnedEvent(OwnedEvent&& other) noexcept;
  OwnedEvent& operator=(OwnedEvent&&) = delete;
  ~OwnedEvent();
  Event get() const { return event_; }

 private:
  explicit OwnedEvent(CudaContext& context) : context_(&context) {}
  CudaContext* context_;
  Event event_ = nullptr;
};

}  // namespace vta::driver::cuda
