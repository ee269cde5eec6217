#include "driver/gpu/opencl/opencl_program.h"

namespace vta::driver::opencl {

/// The queue runs commands one after the other.
Status OpenClProgram::run(std::chrono::milliseconds timeout) {
  VTA_RETURN_IF_ERROR(context_->checkIdle());
  if (dispatches_.empty()) return {};
  const OpenClApi& api = context_->api();
  std::vector<Owned<Event>> events;
  for (const OpenClDispatch& dispatch : dispatches_) {
    const bool is_last = &dispatch == &dispatches_.back();
    const bool has_event = is_last || times_ == GpuTimes::kDispatches;
    Event event = nullptr;
    VTA_RETURN_IF_ERROR(openClStatus(
        api.EnqueueNDRangeKernel(context_->queue(), dispatch.kernel.get(), 3, nullptr,
                                 dispatch.invocations.data(), dispatch.workgroup_size.data(), 0,
                                 nullptr, has_event ? &event : nullptr),
        "clEnqueueNDRangeKernel"));
    if (has_event) events.emplace_back(event, api.ReleaseEvent);
  }
  if (times_ == GpuTimes::kOff) return context_->waitFor(std::move(events.back()), timeout);
  Event last = events.back().get();
  VTA_RETURN_IF_ERROR(openClStatus(api.RetainEvent(last), "clRetainEvent"));
  VTA_RETURN_IF_ERROR(context_->waitFor({last, api.ReleaseEvent}, timeout));
  return readTimes(events);
}

Status OpenClProgram::readTimes(const std::vector<Owned<Event>>& events) {
  const auto time_of = [&](const Owned<Event>& event, Uint name) {
    uint64_t nanoseconds = 0;
    (void)context_->api().GetEventProfilingInfo(event.get(), name, sizeof(nanoseconds),
                                                &nanoseconds, nullptr);
    return nanoseconds;
  };
  seconds_.clear();
  for (const Owned<Event>& event : events) {
    const uint64_t begin = time_of(event, kProfilingCommandStart);
    const uint64_t end = time_of(event, kProfilingCommandEnd);
    seconds_.push_back(1e-9 * static_cast<double>(end - begin));
  }
  return {};
}

}  // namespace vta::driver::opencl
