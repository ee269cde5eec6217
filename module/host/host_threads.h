// HostThreads: what host functions are called with.
#pragma once

#include <span>

#include "base/status.h"
#include "base/thread_pool.h"
#include "module/host_abi.h"

namespace vta {

/// A thread pool, and the context through which host functions use it.
class HostThreads {
 public:
  /// 0 threads: as many as the machine has.
  explicit HostThreads(unsigned num_threads = 0);
  HostThreads(const HostThreads&) = delete;
  HostThreads& operator=(const HostThreads&) = delete;

  /// Calls `function`; its first failure is the error. From any thread. `part_seconds` gets the
  /// time of each part that the function marks; what it marks beyond them is left out.
  Status call(VtaHostFunction function, void* const* arguments,
              std::span<double> part_seconds = {}) const;

 private:
  static void parallelFor(const VtaHostContext* context, VtaLoopBody body, void* closure,
                          int64_t count);

  ThreadPool pool_;
  VtaHostContext context_;
};

}  // namespace vta
