#include "module/host/host_threads.h"

#include <algorithm>
#include <chrono>
#include <mutex>

#include "base/clock.h"
#include "module/host/host_failure.h"

namespace vta {
namespace {

/// The first failure of one call, and the time of its parts. Threads of the call may report at the
/// same time. Takes no memory, of which there may be none.
class Call {
 public:
  explicit Call(std::span<double> part_seconds) : part_seconds_(part_seconds) {
    std::ranges::fill(part_seconds_, 0);
    if (!part_seconds_.empty()) last_mark_ = Clock::now();
  }

  void fail(uint32_t failure, const char* where, int64_t value, int64_t limit) {
    const std::lock_guard lock(mutex_);
    if (failure_ != 0) return;
    failure_ = failure;
    where_ = where;
    value_ = value;
    limit_ = limit;
  }
  void mark(int64_t part) {
    if (part_seconds_.empty()) return;
    const Clock::time_point now = Clock::now();
    const auto index = static_cast<size_t>(part);
    if (index < part_seconds_.size()) {
      part_seconds_[index] += std::chrono::duration<double>(now - last_mark_).count();
    }
    last_mark_ = now;
  }
  /// Once the call has ended.
  Status status() const {
    return failure_ == 0 ? Status() : hostFailureStatus(failure_, where_, value_, limit_);
  }

 private:
  std::mutex mutex_;
  uint32_t failure_ = 0;  // none
  const char* where_ = nullptr;
  int64_t value_ = 0, limit_ = 0;
  std::span<double> part_seconds_;
  Clock::time_point last_mark_;
};

void fail(const VtaHostContext* context, uint32_t failure, const char* where, int64_t value,
          int64_t limit) {
  static_cast<Call*>(context->call)->fail(failure, where, value, limit);
}

void mark(const VtaHostContext* context, int64_t part) {
  static_cast<Call*>(context->call)->mark(part);
}

}  // namespace

HostThreads::HostThreads(unsigned num_threads) : pool_(num_threads) {
  context_ = {
      VTA_HOST_ABI_VERSION, pool_.numThreads(), parallelFor, &pool_, nullptr, nullptr, nullptr};
}

Status HostThreads::call(VtaHostFunction function, void* const* arguments,
                         std::span<double> part_seconds) const {
  Call call(part_seconds);
  VtaHostContext context = context_;
  context.fail = fail;
  context.call = &call;
  context.mark = mark;
  function(&context, arguments);
  return call.status();
}

void HostThreads::parallelFor(const VtaHostContext* context, VtaLoopBody body, void* closure,
                              int64_t count) {
  static_cast<ThreadPool*>(context->pool)->parallelFor(body, closure, count);
}

}  // namespace vta
