#include "compiler/kernel/schedule_chooser.h"

#include <algorithm>

namespace vta::kernel {
namespace {

// What one kernel's search may simulate: some ten milliseconds, and enough for a few schedules of a
// large layer.
constexpr uint64_t kMeasuredCycles = 2'000'000;
constexpr size_t kMostMeasured = 40;
constexpr size_t kFewestMeasured = 3;

}  // namespace

ScheduleChooser::ScheduleChooser(HwConfig hw, MeasureProgram measure)
    : hw_(std::move(hw)), measure_(std::move(measure)) {}

Result<Schedule> ScheduleChooser::choose(const KernelDesc& desc) {
  KernelDesc shape = desc;
  shape.name.clear();
  const auto known = std::ranges::find(known_, shape, &std::pair<KernelDesc, Schedule>::first);
  if (known != known_.end()) return known->second;
  VTA_ASSIGN_OR_RETURN(const Schedule schedule,
                       measure_ ? search(desc) : defaultSchedule(desc, hw_));
  known_.emplace_back(std::move(shape), schedule);
  return schedule;
}

Result<Schedule> ScheduleChooser::search(const KernelDesc& desc) const {
  const std::vector<Schedule> ranked = rankedSchedules(desc, hw_, kMostMeasured);
  if (ranked.size() < 2) return defaultSchedule(desc, hw_);
  Schedule best;
  uint64_t best_cycles = 0;
  uint64_t measured_cycles = 0;
  for (size_t i = 0; i < ranked.size(); ++i) {
    if (i >= kFewestMeasured && measured_cycles >= kMeasuredCycles) break;
    VTA_ASSIGN_OR_RETURN(const Program program, lower(desc, ranked[i], hw_));
    VTA_ASSIGN_OR_RETURN(const uint64_t cycles, measure_(program));
    measured_cycles += cycles;
    if (i > 0 && cycles >= best_cycles) continue;
    best = ranked[i];
    best_cycles = cycles;
  }
  return best;
}

}  // namespace vta::kernel
