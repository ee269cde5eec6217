#include "explore/tune/space/vta_space.h"

#include <algorithm>

#include "compiler/kernel/schedule/schedule_space.h"
#include "explore/tune/space/features.h"

namespace vta::tune {
namespace {

std::vector<bool> joinedFields() {
  std::vector<bool> joined;
  for (const kernel::ScheduleField& field : kernel::scheduleFields()) {
    joined.push_back(field.joins_previous);
  }
  return joined;
}

std::vector<int64_t> fieldsOf(const kernel::Schedule& schedule) {
  std::vector<int64_t> values;
  for (const kernel::ScheduleField& field : kernel::scheduleFields()) {
    values.push_back(field.get(schedule));
  }
  return values;
}

/// Schedules of one kind have the same working set and order.
uint64_t kindOf(const kernel::Schedule& s) {
  uint64_t kind = static_cast<uint64_t>(s.tile_out_blocks) << 32;
  kind |= static_cast<uint64_t>(s.tile_in_blocks) << 3;
  kind |= static_cast<uint64_t>(s.order == kernel::Schedule::Order{}) << 2;
  return kind | static_cast<uint64_t>(s.int8_through_gemm) << 1 |
         static_cast<uint64_t>(s.skip_padding);
}

/// Those of schedule and plan.
std::array<size_t, 2> shownFeatures() {
  const auto names = featureNames();
  const auto first = std::ranges::find(names, "log_tile_height") - names.begin();
  const auto last = std::ranges::find(names, "log_tiles") - names.begin();
  return {static_cast<size_t>(first), static_cast<size_t>(last) + 1};
}

}  // namespace

VtaSpace::VtaSpace() : Space(joinedFields(), shownFeatures()) {}

Result<VtaSpace> VtaSpace::create(const Task& task) {
  VTA_RETURN_IF_ERROR(kernel::checkRunnable(task.desc, task.hw));
  VtaSpace space;
  const kernel::MemoryTraits memory = memoryTraits(task.memory, task.hw);
  const FeatureExtractor extractor(task);
  const auto add = [&](const kernel::Schedule& schedule, const kernel::KernelPlan& plan) {
    const ScheduleFacts facts = extractor.extract(schedule, plan);
    space.schedules_.push_back(schedule);
    space.Space::add(
        {fieldsOf(schedule), facts.estimate, facts.floor_cycles, kindOf(schedule), facts.features});
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
  space.finish();
  return space;
}

std::optional<Candidate> VtaSpace::find(const kernel::Schedule& schedule) const {
  const auto found = std::ranges::find(schedules_, schedule);
  if (found == schedules_.end()) return std::nullopt;
  return static_cast<Candidate>(found - schedules_.begin());
}

}  // namespace vta::tune
