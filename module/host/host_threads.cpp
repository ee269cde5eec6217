#include "module/host/host_threads.h"

#include <mutex>

#include "module/host/host_failure.h"

namespace vta {
namespace {

/// The first failure of one call. Threads of the call may report at the same time. Takes no memory,
/// of which there may be none.
class Call {
 public:
  void fail(uint32_t failure, const char* where, int64_t value, int64_t limit) {
    const std::lock_guard lock(mutex_);
    if (failure_ != 0) return;
    failure_ = failure;
    where_ = where;
    value_ = value;
    limit_ = limit;
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
};

void fail(const VtaHostContext* context, uint32_t failure, const char* where, int64_t value,
          int64_t limit) {
  static_cast<Call*>(context->call)->fail(failure, where, value, limit);
}

}  // namespace

HostThreads::HostThreads(unsigned num_threads) : pool_(num_threads) {
  context_ = {VTA_HOST_ABI_VERSION, pool_.numThreads(), parallelFor, &pool_, nullptr, nullptr};
}

Status HostThreads::call(VtaHostFunction function, void* const* arguments) const {
  Call call;
  VtaHostContext context = context_;
  context.fail = fail;
  context.call = &call;
  function(&context, arguments);
  return call.status();
}

void HostThreads::parallelFor(const VtaHostContext* context, VtaLoopBody body, void* closure,
                              int64_t count) {
  static_cast<ThreadPool*>(context->pool)->parallelFor(body, closure, count);
}

}  // namespace vta
