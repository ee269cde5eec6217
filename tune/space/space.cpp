#include "tune/space/space.h"

#include <algorithm>
#include <numeric>

#include "compiler/kernel/schedule/schedule_floor.h"
#include "compiler/kernel/schedule/schedule_space.h"

namespace vta::tune {

Result<Space> Space::create(const Task& task) {
  VTA_RETURN_IF_ERROR(kernel::checkRunnable(task.desc, task.hw));
  Space space;
  const kernel::MemoryTraits memory = memoryTraits(task.memory, task.hw);
  const FeatureExtractor extractor(task);
  const kernel::ScheduleFloor floor(task.desc, task.hw, memory);
  const auto add = [&](const kernel::Schedule& schedule, const kernel::KernelPlan& plan) {
    const kernel::KernelWork work = countWork(task.desc, schedule, task.hw, plan, memory);
    const kernel::CostEstimate cost =
        estimateWorkCost(task.desc, schedule, task.hw, plan, work, memory);
    space.schedules_.push_back(schedule);
    space.estimates_.push_back(cost.cycles);
    space.floors_.push_back(floor.leastCycles(schedule, plan));
    space.features_.push_back(extractor.extract(schedule, plan, work, cost));
  };
  kernel::visitSchedules(task.desc, task.hw, add, &space.rejected_);
  if (space.schedules_.empty()) {
    // It runs, but by a schedule that is outside the space.
    VTA_ASSIGN_OR_RETURN(const kernel::Schedule only,
                         kernel::defaultSchedule(task.desc, task.hw, memory));
    VTA_ASSIGN_OR_RETURN(const kernel::KernelPlan plan,
                         kernel::planKernel(task.desc, only, task.hw));
    add(only, plan);
  }
  space.by_estimate_.resize(space.size());
  std::iota(space.by_estimate_.begin(), space.by_estimate_.end(), 0u);
  std::ranges::stable_sort(space.by_estimate_, {},
                           [&](Candidate i) { return space.estimates_[i]; });
  return space;
}

std::optional<Candidate> Space::find(const kernel::Schedule& schedule) const {
  const auto found = std::ranges::find(schedules_, schedule);
  if (found == schedules_.end()) return std::nullopt;
  return static_cast<Candidate>(found - schedules_.begin());
}

std::vector<Candidate> Space::neighbours(Candidate i) const {
  std::vector<Candidate> found;
  for (Candidate j = 0; j < size(); ++j) {
    if (kernel::countDifferences(schedules_[i], schedules_[j]) == 1) found.push_back(j);
  }
  return found;
}

}  // namespace vta::tune
