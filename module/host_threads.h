// HostThreads: what host functions are called with.
#pragma once

#include "base/thread_pool.h"
#include "module/host_abi.h"

namespace vta {

/// A thread pool, and the context through which host functions use it.
class HostThreads {
 public:
  /// 0 threads: as many as the machine has.
  explicit HostThreads(unsigned num_threads = 0) : pool_(num_threads) {
    context_ = {VTA_HOST_ABI_VERSION, pool_.numThreads(), parallelFor, &pool_};
  }
  HostThreads(const HostThreads&) = delete;
  HostThreads& operator=(const HostThreads&) = delete;

  /// Valid as long as this.
  const VtaHostContext* context() const { return &context_; }

 private:
  static void parallelFor(const VtaHostContext* context, VtaLoopBody body, void* closure,
                          int64_t count) {
    static_cast<ThreadPool*>(context->pool)->parallelFor(body, closure, count);
  }

  ThreadPool pool_;
  VtaHostContext context_;
};

}  // namespace vta
