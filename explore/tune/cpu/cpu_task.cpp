#include "explore/tune/cpu/cpu_task.h"

namespace vta::tune {

StoredTask CpuTask::stored() const {
  return {0, convKey(task_.spec, task_.cpu), task_.layers.front(), task_.cpu, "cpu"};
}

Status CpuTask::begin() {
  space_.emplace(task_);
  return measurer_.begin(task_.spec);
}

std::optional<Candidate> CpuTask::find(const std::string& schedule) const {
  const Result<ConvSchedule> parsed = parseConvSchedule(schedule);
  return parsed.ok() ? space_->find(*parsed) : std::nullopt;
}

Result<Candidate> CpuTask::compilersChoice() {
  const std::optional<Candidate> own = space_->find(defaultConvSchedule(task_.spec, task_.traits));
  if (!own) return internalError("the default schedule is outside the space");
  return *own;
}

std::vector<Measurement> CpuTask::measure(std::span<const Candidate> candidates, uint64_t most) {
  std::vector<ConvSchedule> schedules;
  for (const Candidate i : candidates) schedules.push_back(space_->schedule(i));
  return measurer_.measure(schedules, most);
}

std::vector<Sample> CpuTask::samplesOf(const TaskKey& key, std::span<const TrialRecord> trials,
                                       uint32_t group) const {
  std::vector<Sample> samples;
  const Result<ConvSpec> spec = parseConvWorkload(key.workload);
  if (!spec.ok() || key.configuration != task_.cpu) return samples;
  for (const TrialRecord& trial : trials) {
    const Result<ConvSchedule> schedule = parseConvSchedule(trial.schedule);
    if (trial.outcome != Outcome::kCycles || !schedule.ok()) continue;
    if (!brokenRule(*spec, *schedule, task_.traits).empty()) continue;
    samples.push_back({convFeatures(*spec, *schedule, task_.traits),
                       estimateConvCycles(*spec, *schedule, task_.traits), trial.cycles, group});
  }
  return samples;
}

}  // namespace vta::tune
