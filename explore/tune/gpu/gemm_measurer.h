// GemmMeasurer: times schedules of products on a GPU.
#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/process/worker_processes.h"
#include "explore/tune/gpu/gpu_worker.h"
#include "explore/tune/measure/measurement.h"

namespace vta::tune {

/// Compiles a schedule of `task` as the compiler does for a network; without one, what computes
/// each element by itself. Errors: those of the compiler.
using MakeProduct = std::function<Result<TrialProgram>(
    const GemmTask& task, const std::optional<GemmSchedule>& schedule)>;

struct GemmMeasurerOptions {
  std::chrono::milliseconds timeout{30'000};  // for one trial: to compile, and to run
  int compilers = 1;                          // processes that compile
  int launches = 3;                           // of a schedule, at least
};

/// Processes of its own compile schedules beside each other; one more has the GPU and runs them one
/// after the other. So a crash or a hang of either costs one trial, and no two trials share the
/// GPU. Schedules that break a rule on the task's GPU get to neither.
class GemmMeasurer {
 public:
  GemmMeasurer(MakeProduct make, OpenGpu open, const GemmMeasurerOptions& options);

  /// The next schedules are of `task`, which has to live as long. Errors: the right results cannot
  /// be computed on the GPU within the timeout; the system has no processes left.
  Status begin(const GemmTask& task);
  std::vector<Measurement> measure(std::span<const GemmSchedule> schedules, uint64_t most);

 private:
  /// The program of each schedule, as text; where there is none, its result says why.
  std::vector<std::string> compile(std::span<const GemmSchedule> schedules,
                                   std::vector<Measurement>& results);

  MakeProduct make_;
  OpenGpu open_;
  GemmMeasurerOptions options_;
  const GemmTask* task_ = nullptr;
  WorkerProcesses compilers_;
  WorkerProcesses device_;
};

}  // namespace vta::tune
