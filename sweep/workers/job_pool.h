// JobPool: processes that work on jobs, so that a crash, a hang or an exhausted memory costs one
// job and nothing else.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"

namespace vta::sweep {

struct JobLimits {
  std::chrono::milliseconds timeout = std::chrono::minutes(10);  // for one job
  /// A process ends after so many jobs, and with it what they left in memory; 0: never.
  int jobs_of_a_process = 0;
};

class JobPool {
 public:
  /// What a process does for one job, given by its number; the text is the result. It runs in a
  /// forked process that has the memory of the moment of its start.
  using Body = std::function<Result<std::string>(size_t job)>;
  /// Called in this process as jobs end, in any order.
  using Done = std::function<void(size_t job, const Result<std::string>& result)>;

  explicit JobPool(int processes, const JobLimits& limits = {});
  ~JobPool();
  JobPool(const JobPool&) = delete;
  JobPool& operator=(const JobPool&) = delete;

  /// Runs all of `jobs`. A job whose process dies or takes too long ends with an error that says
  /// so. Once *stop is true, no job is begun; those that run end. Error: no process can be started.
  Status run(const std::vector<size_t>& jobs, const Body& body, const Done& done,
             const std::atomic<bool>* stop = nullptr);

 private:
  struct Worker {
    pid_t pid = -1;
    int socket = -1;
    int jobs_done = 0;
    std::optional<size_t> job = {};
    std::string received = {};
    std::chrono::steady_clock::time_point deadline = {};
  };

  Status start(Worker& worker, const Body& body);
  static void stop(Worker& worker);
  Status give(Worker& worker, size_t job, const Body& body);
  void wait(const Done& done);
  void receive(Worker& worker, const Done& done);
  void finish(Worker& worker, const Result<std::string>& result, const Done& done);

  JobLimits limits_;
  std::vector<Worker> workers_;
};

}  // namespace vta::sweep
