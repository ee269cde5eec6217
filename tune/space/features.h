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
#include "compiler/kernel/schedule/kernel_work.h"
#include "tune/space/space.h"
#include "tune/task/task.h"

namespace vta::tune {

/// One name for each feature.
std::span<const std::string_view> featureNames();

/// The features that are the same for all schedules of a task, computed once.
class FeatureExtractor {
 public:
  explicit FeatureExtractor(const Task& task);

  /// `work` and `cost` must be countWork's and estimateWorkCost's for schedule and plan.
  Features extract(const kernel::Schedule& schedule, const kernel::KernelPlan& plan,
                   const kernel::KernelWork& work, const kernel::CostEstimate& cost) const;

 private:
  Features of_task_{};
  double bus_bytes_;
  double instruction_bytes_;
};

}  // namespace vta::tune
