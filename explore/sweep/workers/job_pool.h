// JobPool: processes that work on jobs, so that a crash, a hang or an exhausted memory costs one
// job and nothing else.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "base/process/worker_processes.h"
#include "base/status.h"

namespace vta::sweep {

class JobPool {
 public:
  /// What a process does for one job, given by its number; the text is the result. It runs in a
  /// forked process that has the memory of the moment of its start.
  using Body = std::function<Result<std::string>(size_t job)>;
  /// Called in this process as jobs end, in any order.
  using Done = std::function<void(size_t job, const Result<std::string>& result)>;

  explicit JobPool(int processes, const WorkerProcessLimits& limits = {})
      : processes_(processes, limits) {}

  /// Runs all of `jobs`. A job whose process dies or takes too long ends with an error that says
  /// so. Once *stop is true, no job is begun; those that run end. Error: no process can be started.
  Status run(const std::vector<size_t>& jobs, const Body& body, const Done& done,
             const std::atomic<bool>* stop = nullptr);

 private:
  WorkerProcesses processes_;
};

}  // namespace vta::sweep
