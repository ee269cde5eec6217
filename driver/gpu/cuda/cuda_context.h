// The connection to one GPU that CUDA drives: what its buffers and programs share.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
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

  /// Where kernels are launched. Copies have a stream of their own, which neither waits for it nor
  /// holds it up: who wants a copy of what a kernel writes has waited for that before.
  Stream workStream() const { return work_; }

  /// Copies, and fills with zeros, to their end. By any one thread, also while another one works.
  Status copyToGpu(DevicePointer to, std::span<const std::byte> from);
  Status copyFromGpu(std::span<std::byte> to, DevicePointer from);
  Status clear(DevicePointer pointer, uint64_t size_bytes);

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
  Stream work_ = nullptr, copies_ = nullptr;
  Event last_ = nullptr;
  std::atomic<bool> is_late_ = false;  // a kernel did not end in time
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
