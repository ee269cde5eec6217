// WorkerPool: processes that measure schedules, so that a crash, a hang or an exhausted memory
// costs one trial and nothing else.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/status.h"
#include "tune/measure/measurement.h"

namespace vta::tune {

struct WorkerLimits {
  std::chrono::milliseconds timeout{30'000};  // for one trial
  uint64_t memory_bytes = uint64_t{2} << 30;  // beyond what the parent has; 0: no limit
};

class WorkerPool {
 public:
  /// What a worker does for one schedule. It runs in a forked process and sees the memory of the
  /// moment of start().
  using Body = std::function<Measurement(const kernel::Schedule& schedule, uint64_t most)>;

  WorkerPool(int workers, const WorkerLimits& limits);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Ends all workers and forks new ones with this body. Error: the system has no processes left.
  Status start(Body body);

  /// One result for each schedule, in their order. Workers that die are replaced.
  std::vector<Measurement> run(std::span<const kernel::Schedule> schedules, uint64_t most);

 private:
  struct Worker {
    pid_t pid = -1;
    int socket = -1;
    std::optional<size_t> trial = {};  // that it works on
    std::chrono::steady_clock::time_point deadline = {};
  };

  Status fork(Worker& worker);
  // noexcept: an exception ends the process instead of running on in what the parent called.
  [[noreturn]] void workerMain(int socket) const noexcept;
  void stop(Worker& worker);
  bool send(Worker& worker, size_t trial, const kernel::Schedule& schedule, uint64_t most);
  void waitForReplies(std::vector<Measurement>& results);
  void finish(Worker& worker, const Measurement& result, std::vector<Measurement>& results);
  void replace(Worker& worker, Outcome outcome, std::vector<Measurement>& results);

  WorkerLimits limits_;
  Body body_;
  std::vector<Worker> workers_;
};

}  // namespace vta::tune
