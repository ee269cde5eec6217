#include "driver/gpu/opencl/opencl_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <thread>

namespace vta::driver::opencl {

Result<std::shared_ptr<OpenClContext>> OpenClContext::create(const OpenClApi& api,
                                                             const PhysicalDevice& device) {
  std::shared_ptr<OpenClContext> context(new OpenClContext(api, device));
  Int result = kSuccess;
  context->context_ = {api.CreateContext(nullptr, 1, &device.handle, nullptr, nullptr, &result),
                       api.ReleaseContext};
  VTA_RETURN_IF_ERROR(openClStatus(result, "clCreateContext"));
  for (Owned<Queue>* queue : {&context->queue_, &context->copies_}) {
    *queue = {api.CreateCommandQueue(context->get(), device.handle, kQueueProfilingEnable, &result),
              api.ReleaseCommandQueue};
    VTA_RETURN_IF_ERROR(openClStatus(result, "clCreateCommandQueue"));
  }
  return context;
}

Result<bool> OpenClContext::hasEnded(Event event) const {
  Int state = 0;
  VTA_RETURN_IF_ERROR(openClStatus(
      api_.GetEventInfo(event, kEventCommandExecutionStatus, sizeof(state), &state, nullptr),
      "clGetEventInfo"));
  if (state < 0) {
    return Status(StatusCode::kDeviceFault,
                  fmt::format("OpenCL: a kernel ended with code {}", state));
  }
  return state == 0;
}

Status OpenClContext::waitFor(Owned<Event> last, std::chrono::milliseconds timeout) {
  VTA_RETURN_IF_ERROR(openClStatus(api_.Flush(queue()), "clFlush"));
  const auto end = std::chrono::steady_clock::now() + timeout;
  // Short kernels are waited for without sleep, long ones without using a processor.
  constexpr int kQuickLooks = 200;
  constexpr std::chrono::microseconds kLongestSleep{1000};
  std::chrono::microseconds sleep{20};
  for (int look = 0;; ++look) {
    VTA_ASSIGN_OR_RETURN(const bool has_ended, hasEnded(last.get()));
    if (has_ended) return {};
    if (std::chrono::steady_clock::now() >= end) break;
    if (look < kQuickLooks) {
      std::this_thread::yield();
      continue;
    }
    std::this_thread::sleep_for(sleep);
    sleep = std::min(2 * sleep, kLongestSleep);
  }
  const std::lock_guard lock(mutex_);
  late_ = std::move(last);
  return kernelsTakeTooLong(timeout);
}

Status OpenClContext::checkIdle() {
  const std::lock_guard lock(mutex_);
  if (late_.get() == nullptr) return {};
  VTA_ASSIGN_OR_RETURN(const bool has_ended, hasEnded(late_.get()));
  if (!has_ended) {
    return {StatusCode::kDeadlineExceeded,
            "OpenCL: a kernel of an earlier run, which took too long, still runs"};
  }
  late_ = {};
  return {};
}

}  // namespace vta::driver::opencl
