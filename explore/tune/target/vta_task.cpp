#include "explore/tune/target/vta_task.h"

#include "compiler/kernel/schedule/schedule_chooser.h"
#include "explore/tune/space/features.h"
#include "sim/cycle/program_timer.h"

namespace vta::tune {

Result<kernel::Schedule> compilersChoice(const Task& task) {
  VTA_ASSIGN_OR_RETURN(sim::ProgramTimer timer, sim::ProgramTimer::create(task.hw, task.memory));
  const kernel::MeasureProgram measure = [&](const Program& program, uint64_t most) {
    return timer.cyclesUpTo(program, most);
  };
  kernel::ScheduleChooser chooser(
      task.hw, {.measure = measure, .memory = memoryTraits(task.memory, task.hw)});
  VTA_ASSIGN_OR_RETURN(const kernel::ChosenSchedule chosen, chooser.choose(task.desc));
  return chosen.schedule;
}

std::vector<Sample> samplesOf(const Task& task, std::span<const TrialRecord> trials,
                              uint32_t group) {
  std::vector<Sample> samples;
  const FeatureExtractor extractor(task);
  kernel::KernelPlan plan;
  kernel::PlanFailure failure;
  for (const TrialRecord& trial : trials) {
    if (trial.outcome != Outcome::kCycles) continue;
    const Result<kernel::Schedule> schedule = parseSchedule(trial.schedule);
    if (!schedule.ok() || !makePlan(task.desc, *schedule, task.hw, plan, failure)) continue;
    const ScheduleFacts facts = extractor.extract(*schedule, plan);
    samples.push_back({facts.features, facts.estimate, trial.cycles, group});
  }
  return samples;
}

StoredTask VtaTask::stored() const {
  return {0, keyOf(task_), task_.desc.name, task_.hw.name(), task_.memory.name};
}

Status VtaTask::begin() {
  VTA_ASSIGN_OR_RETURN(space_, VtaSpace::create(task_));
  return measurer_.begin(task_);
}

std::span<const std::string_view> VtaTask::featureNames() const { return tune::featureNames(); }

std::optional<Candidate> VtaTask::find(const std::string& schedule) const {
  const Result<kernel::Schedule> parsed = parseSchedule(schedule);
  return parsed.ok() ? space_->find(*parsed) : std::nullopt;
}

Result<Candidate> VtaTask::compilersChoice() {
  VTA_ASSIGN_OR_RETURN(const kernel::Schedule own, tune::compilersChoice(task_));
  const std::optional<Candidate> candidate = space_->find(own);
  if (!candidate) return internalError("the compiler's choice is outside the space");
  return *candidate;
}

std::vector<Measurement> VtaTask::measure(std::span<const Candidate> candidates, uint64_t most) {
  std::vector<kernel::Schedule> schedules;
  for (const Candidate i : candidates) schedules.push_back(space_->schedule(i));
  return measurer_.measure(schedules, most);
}

std::vector<Sample> VtaTask::samplesOf(const TaskKey& key, std::span<const TrialRecord> trials,
                                       uint32_t group) const {
  const Result<Task> other = parseTask(key);
  if (!other.ok()) return {};  // of an older version, or of another target
  return tune::samplesOf(*other, trials, group);
}

}  // namespace vta::tune
