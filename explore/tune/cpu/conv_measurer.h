// ConvMeasurer: times schedules of convolutions on this machine's CPU.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "explore/tune/measure/measurement.h"
#include "explore/tune/measure/repeated_time.h"
#include "explore/tune/measure/worker_pool.h"
#include "explore/tune/task/conv_task.h"

namespace vta::tune {

/// A convolution in this process. `prepare` brings its inputs to where the layer before it would
/// have left them, `run` computes it once in the calling thread.
struct ConvCall {
  std::function<void()> prepare;
  std::function<void()> run;
};
/// Compiles a schedule as the compiler does for a network. Errors: those of the compiler.
using MakeConvCall =
    std::function<Result<ConvCall>(const ConvSpec& spec, const ConvSchedule& schedule)>;

/// Times `call` with the clock of this thread, which does not count what other processes take.
RepeatedTime timeCall(const ConvCall& call, int repeats);

/// Measures in one process of its own, which stays on one processor. A schedule during which the
/// clock changed is measured again, up to three times; then the fastest median counts, and the
/// measurement says that it is not steady.
class ConvMeasurer {
 public:
  ConvMeasurer(MakeConvCall make, const WorkerLimits& limits, int repeats = 9);

  /// The next schedules are of this layer. Error: the system has no processes left.
  Status begin(const ConvSpec& spec);
  std::vector<Measurement> measure(std::span<const ConvSchedule> schedules, uint64_t most);

 private:
  MakeConvCall make_;
  int repeats_;
  std::unique_ptr<WorkerProcesses> processes_;
};

}  // namespace vta::tune
