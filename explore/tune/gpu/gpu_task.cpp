#include "explore/tune/gpu/gpu_task.h"

#include "host_gpu/schedule/gemm_space.h"

namespace vta::tune {

StoredTask GpuTask::stored() const {
  return {0, gemmKey(task_.spec, task_.kernel, task_.gpu), task_.layers.front(), task_.gpu.text(),
          "gpu"};
}

Status GpuTask::begin() {
  space_.emplace(task_);
  return measurer_.begin(task_);
}

std::optional<Candidate> GpuTask::find(const std::string& schedule) const {
  const Result<GemmSchedule> parsed = parseGemmSchedule(schedule);
  return parsed.ok() ? space_->find(*parsed) : std::nullopt;
}

Result<Candidate> GpuTask::compilersChoice() {
  const auto own = space_->find(codegen::usualGemmSchedule(task_.spec, task_.gpu.limits));
  if (!own) return internalError("the usual schedule is outside the space");
  return *own;
}

std::vector<Measurement> GpuTask::measure(std::span<const Candidate> candidates, uint64_t most) {
  std::vector<GemmSchedule> schedules;
  for (const Candidate i : candidates) schedules.push_back(space_->schedule(i));
  return measurer_.measure(schedules, most);
}

std::vector<Sample> GpuTask::samplesOf(const TaskKey& key, std::span<const TrialRecord> trials,
                                       uint32_t group) const {
  std::vector<Sample> samples;
  const Result<GemmSpec> spec = parseGemmWorkload(key.workload);
  if (!spec.ok() || key.configuration != task_.gpu.text()) return samples;
  const GpuKernelLimits& limits = task_.gpu.limits;
  for (const TrialRecord& trial : trials) {
    const Result<GemmSchedule> schedule = parseGemmSchedule(trial.schedule);
    if (trial.outcome != Outcome::kCycles || !schedule.ok()) continue;
    if (!brokenRule(*spec, *schedule, limits).empty()) continue;
    samples.push_back({gemmFeatures(*spec, *schedule, limits),
                       estimateGemmNanoseconds(*spec, *schedule), trial.cycles, group});
  }
  return samples;
}

}  // namespace vta::tune
