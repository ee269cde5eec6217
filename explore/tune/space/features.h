// Features of a schedule: what a learned cost model sees of kernel, schedule, accelerator and
// memory.
//
// They come from the counted work of the schedule's loop nest (compiler/kernel/schedule/
// kernel_work.h): operations of each engine, bytes and reuse of each operand, instructions, and the
// analytic model's stalls as a first draft. No kernel is lowered for them. Counts are logarithms to
// base 2, so that one model serves small and large layers.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "compiler/kernel/plan/kernel_plan.h"
#include "compiler/kernel/schedule/floor/schedule_floor.h"
#include "explore/tune/space/space.h"
#include "explore/tune/task/task.h"

namespace vta::tune {

/// One name for each feature.
std::span<const std::string_view> featureNames();

/// What is known of a schedule before it is measured.
struct ScheduleFacts {
  double estimate = 0;  // the analytic model's cycles
  uint64_t floor_cycles = 0;
  Features features{};
};

/// Facts of a task's schedules; what is the same for all of them is computed once.
class FeatureExtractor {
 public:
  /// `task` must outlive it.
  explicit FeatureExtractor(const Task& task);

  /// `plan` must be makePlan's for `schedule`.
  ScheduleFacts extract(const kernel::Schedule& schedule, const kernel::KernelPlan& plan) const;

 private:
  const Task& task_;
  kernel::MemoryTraits memory_;
  kernel::ScheduleFloor floor_;
  Features of_task_{};
  double bus_bytes_;
  double instruction_bytes_;
};

}  // namespace vta::tune
