// WorkerPool: processes that measure schedules, so that a crash, a hang or an exhausted memory
// costs one trial and nothing else.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/process/worker_processes.h"
#include "base/status.h"
#include "explore/tune/measure/measurement.h"

namespace vta::tune {

struct WorkerLimits {
  std::chrono::milliseconds timeout{30'000};  // for one trial
  uint64_t memory_bytes = uint64_t{2} << 30;  // beyond what the parent has; 0: no limit
};

/// A measurement as the answer of a worker process, and back: a process that died or took too long
/// is a measurement, too.
std::string answerText(const Measurement& measurement);
Measurement measurementOf(const WorkerAnswer& answer);

class WorkerPool {
 public:
  /// What a worker does for one schedule. It runs in a forked process and sees the memory of the
  /// moment of start().
  using Body = std::function<Measurement(const kernel::Schedule& schedule, uint64_t most)>;

  WorkerPool(int workers, const WorkerLimits& limits)
      : processes_(workers, {.timeout = limits.timeout, .memory_bytes = limits.memory_bytes}) {}

  /// Ends all workers and forks new ones with this body. Error: the system has no processes left.
  Status start(Body body);

  /// One result for each schedule, in their order. Workers that die are replaced.
  std::vector<Measurement> run(std::span<const kernel::Schedule> schedules, uint64_t most);

 private:
  WorkerProcesses processes_;
};

}  // namespace vta::tune
