// Random tasks for data sets: kernels as networks have them, on accelerators and memories of all
// kinds. The same seed gives the same tasks on every machine.
#pragma once

#include <vector>

#include "explore/tune/task/task.h"
#include "sim/random/rng.h"

namespace vta::tune {

/// A kernel on an accelerator, and the memories that it is timed with.
struct TaskGroup {
  kernel::KernelDesc desc;
  HwConfig hw;
  std::vector<sim::MemoryConfig> memories;  // distinct
};

/// The kernel is legal on the accelerator and fits it with at least one schedule. Its size is drawn
/// on a logarithmic scale: GEMM or ALU operations from a few hundred to a quarter of a million.
TaskGroup drawTaskGroup(sim::Rng& rng);

}  // namespace vta::tune
