#include "driver/gpu/cuda/cuda_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <thread>
#include <utility>

namespace vta::driver::cuda {
namespace {

/// All that GPUs with PTX have.
constexpr GpuFeatures kFeatures = {GpuFeature::kInt8,
                                   GpuFeature::kInt16,
                                   GpuFeature::kInt64,
                                   GpuFeature::kFloat16,
                                   GpuFeature::kFloat64,
                                   GpuFeature::kStorage8,
                                   GpuFeature::kStorage16,
                                   GpuFeature::kIntegerDotProduct,
                                   GpuFeature::kSubgroupArithmetic};
/// Pointers of 8 bytes in the parameters of a kernel, of which there are 4,096 bytes.
constexpr uint32_t kMaxBindings = 64;

uint32_t attributeOf(const CudaApi& api, Device device, int attribute) {
  int value = 0;
  (void)api.deviceGetAttribute(&value, attribute, device);
  return static_cast<uint32_t>(std::max(value, 0));
}

std::array<uint32_t, 3> threeOf(const CudaApi& api, Device device, int first) {
  return {attributeOf(api, device, first), attributeOf(api, device, first + 1),
          attributeOf(api, device, first + 2)};
}

GpuDeviceInfo describe(const CudaApi& api, Device device) {
  constexpr int kNameBytes = 256;
  std::array<char, kNameBytes> name = {};
  (void)api.deviceGetName(name.data(), kNameBytes - 1, device);
  size_t memory_bytes = 0;
  (void)api.deviceTotalMem(&memory_bytes, device);
  int version = 0;
  (void)api.driverGetVersion(&version);
  GpuDeviceInfo info;
  info.interface = "cuda";
  info.name = name.data();
  info.driver = fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10);
  info.kind =
      attributeOf(api, device, kIntegrated) != 0 ? GpuKind::kIntegrated : GpuKind::kDiscrete;
  info.memory_bytes = memory_bytes;
  info.form = GpuCodeForm::kPtx;
  info.target = fmt::format("sm_{}{}", attributeOf(api, device, kComputeCapabilityMajor),
                            attributeOf(api, device, kComputeCapabilityMinor));
  info.features = kFeatures;
  info.records_times = true;
  GpuLimits& limits = info.limits;
  limits.max_buffer_bytes = limits.max_range_bytes = memory_bytes;
  limits.shared_bytes = attributeOf(api, device, kMaxSharedMemoryPerBlock);
  limits.max_invocations = attributeOf(api, device, kMaxThreadsPerBlock);
  limits.max_workgroup_size = threeOf(api, device, kMaxBlockDimX);
  limits.max_workgroups = threeOf(api, device, kMaxGridDimX);
  limits.max_bindings = kMaxBindings;
  limits.subgroup_size = attributeOf(api, device, kWarpSize);
  return info;
}

}  // namespace

Result<std::vector<GpuDeviceInfo>> describeGpus(const CudaApi& api) {
  int count = 0;
  VTA_RETURN_IF_ERROR(api.status(api.deviceGetCount(&count), "cuDeviceGetCount"));
  std::vector<GpuDeviceInfo> infos;
  for (int i = 0; i < count; ++i) {
    Device device = 0;
    VTA_RETURN_IF_ERROR(api.status(api.deviceGet(&device, i), "cuDeviceGet"));
    infos.push_back(describe(api, device));
  }
  return infos;
}

Result<std::shared_ptr<CudaContext>> CudaContext::create(const CudaApi& api, size_t number,
                                                         const GpuDeviceInfo& info) {
  std::shared_ptr<CudaContext> context(new CudaContext(api, info));
  VTA_RETURN_IF_ERROR(
      api.status(api.deviceGet(&context->device_, static_cast<int>(number)), "cuDeviceGet"));
  VTA_RETURN_IF_ERROR(api.status(api.primaryCtxRetain(&context->context_, context->device_),
                                 "cuDevicePrimaryCtxRetain"));
  VTA_RETURN_IF_ERROR(context->use());
  for (Stream* stream : {&context->work_, &context->copies_}) {
    VTA_RETURN_IF_ERROR(api.status(api.streamCreate(stream, kStreamNonBlocking), "cuStreamCreate"));
  }
  VTA_RETURN_IF_ERROR(api.status(api.eventCreate(&context->last_, 0), "cuEventCreate"));
  return context;
}

CudaContext::~CudaContext() {
  if (context_ == nullptr || !checkIdle().ok()) return;
  if (last_ != nullptr) (void)api_.eventDestroy(last_);
  for (const Stream stream : {work_, copies_}) {
    if (stream != nullptr) (void)api_.streamDestroy(stream);
  }
  (void)api_.primaryCtxRelease(device_);
}

Status CudaContext::copyToGpu(DevicePointer to, std::span<const std::byte> from) {
  VTA_RETURN_IF_ERROR(
      api_.status(api_.memcpyHtoD(to, from.data(), from.size(), copies_), "cuMemcpyHtoDAsync"));
  return api_.status(api_.streamSynchronize(copies_), "cuStreamSynchronize");
}

Status CudaContext::copyFromGpu(std::span<std::byte> to, DevicePointer from) {
  VTA_RETURN_IF_ERROR(
      api_.status(api_.memcpyDtoH(to.data(), from, to.size(), copies_), "cuMemcpyDtoHAsync"));
  return api_.status(api_.streamSynchronize(copies_), "cuStreamSynchronize");
}

Status CudaContext::clear(DevicePointer pointer, uint64_t size_bytes) {
  VTA_RETURN_IF_ERROR(
      api_.status(api_.memsetD8(pointer, 0, size_bytes, copies_), "cuMemsetD8Async"));
  return api_.status(api_.streamSynchronize(copies_), "cuStreamSynchronize");
}

Status CudaContext::waitForAll(std::chrono::milliseconds timeout) {
  VTA_RETURN_IF_ERROR(api_.status(api_.eventRecord(last_, work_), "cuEventRecord"));
  const auto end = std::chrono::steady_clock::now() + timeout;
  // Short kernels are waited for without sleep, long ones without using a processor.
  constexpr int kQuickLooks = 2000;
  constexpr std::chrono::microseconds kLongestSleep{1000};
  std::chrono::microseconds sleep{20};
  for (int look = 0;; ++look) {
    const Code result = api_.eventQuery(last_);
    if (result != kNotReady) return api_.status(result, "cuEventQuery");
    if (std::chrono::steady_clock::now() >= end) break;
    if (look < kQuickLooks) {
      std::this_thread::yield();
      continue;
    }
    std::this_thread::sleep_for(sleep);
    sleep = std::min(2 * sleep, kLongestSleep);
  }
  is_late_ = true;
  return kernelsTakeTooLong(timeout);
}

Status CudaContext::checkIdle() {
  VTA_RETURN_IF_ERROR(use());
  if (!is_late_) return {};
  const Code result = api_.eventQuery(last_);
  if (result == kNotReady) {
    return {StatusCode::kDeadlineExceeded,
            "CUDA: a kernel of an earlier run, which took too long, still runs"};
  }
  is_late_ = false;
  return api_.status(result, "cuEventQuery");
}

Result<OwnedEvent> OwnedEvent::create(CudaContext& context) {
  OwnedEvent event(context);
  VTA_RETURN_IF_ERROR(
      context.api().status(context.api().eventCreate(&event.event_, 0), "cuEventCreate"));
  return event;
}

OwnedEvent::OwnedEvent(OwnedEvent&& other) noexcept
    : context_(other.context_), event_(std::exchange(other.event_, nullptr)) {}

OwnedEvent::~OwnedEvent() {
  if (event_ != nullptr && context_->checkIdle().ok()) (void)context_->api().eventDestroy(event_);
}

}  // namespace vta::driver::cuda
