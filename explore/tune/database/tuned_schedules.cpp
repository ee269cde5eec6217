#include "explore/tune/database/tuned_schedules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "compiler/kernel/schedule/floor/schedule_floor.h"

namespace vta::tune {
namespace {

/// Those with cycles, the fastest first.
Result<std::vector<TrialRecord>> fastestFirst(const Database& database, const TaskKey& key,
                                              const std::string& source) {
  VTA_ASSIGN_OR_RETURN(std::vector<TrialRecord> trials, database.trials(key, source));
  std::erase_if(trials, [](const auto& trial) { return trial.outcome != Outcome::kCycles; });
  std::ranges::stable_sort(trials, {}, &TrialRecord::cycles);
  return trials;
}

/// "zynq-7020 with ddr3-1066", for each machine that a source has trials for.
Result<std::string> machinesOf(const Database& database, const std::string& source) {
  VTA_ASSIGN_OR_RETURN(const auto summaries, database.summaries());
  std::set<std::string> machines;
  for (const TaskSummary& summary : summaries) {
    if (summary.source != source) continue;
    machines.insert(summary.task.memory.empty()
                        ? summary.task.hw
                        : fmt::format("{} with {}", summary.task.hw, summary.task.memory));
  }
  return fmt::format("{}", fmt::join(machines, ", "));
}

/// The GPU whose trials count; empty: none. A remark says why trials of others do not.
Result<std::string> gpuOf(const Database& database, const TunedFor& wanted,
                          std::vector<std::string>& remarks) {
  if (!wanted.gpu) return std::string();
  VTA_ASSIGN_OR_RETURN(const auto summaries, database.summaries());
  std::set<std::string> gpus;
  for (const TaskSummary& summary : summaries) {
    if (isGemmWorkload(summary.task.key.workload)) gpus.insert(summary.task.key.configuration);
  }
  if (wanted.gpu->empty() && gpus.size() == 1) return *gpus.begin();
  if (gpus.empty() || gpus.contains(*wanted.gpu)) return *wanted.gpu;
  const std::string others = fmt::format("{}", fmt::join(gpus, ", "));
  remarks.push_back(
      wanted.gpu->empty()
          ? fmt::format("'{}' has trials for several GPUs, of which none is taken: {}. --tuned-on "
                        "chooses one",
                        database.file().string(), others)
          : fmt::format("'{}' has no trial for this GPU ({}), but for: {}",
                        database.file().string(), *wanted.gpu, others));
  return std::string();
}

}  // namespace

Result<TunedSchedules> TunedSchedules::read(const Database& database, const TunedFor& wanted) {
  TunedSchedules tuned;
  VTA_ASSIGN_OR_RETURN(tuned.remarks_, database.impossibleRows());
  std::vector<std::string> sources;
  if (wanted.vta) sources.push_back(wanted.source);
  if (!wanted.cpu.empty()) sources.emplace_back(kCpuSource);
  VTA_ASSIGN_OR_RETURN(const std::string gpu, gpuOf(database, wanted, tuned.remarks_));
  if (!gpu.empty()) sources.push_back(gpuSource(gpu));
  VTA_ASSIGN_OR_RETURN(const auto others, database.otherTrials(sources));
  tuned.remarks_.insert(tuned.remarks_.end(), others.begin(), others.end());
  if (wanted.vta) VTA_RETURN_IF_ERROR(tuned.readVta(database, wanted));
  if (!wanted.cpu.empty()) VTA_RETURN_IF_ERROR(tuned.readCpu(database, wanted.cpu));
  if (!gpu.empty()) VTA_RETURN_IF_ERROR(tuned.readGpu(database, gpu));
  tuned.describe(database);
  return tuned;
}

Status TunedSchedules::readVta(const Database& database, const TunedFor& wanted) {
  const TimingKey timing = keyOf(*wanted.vta);
  VTA_ASSIGN_OR_RETURN(const std::vector<TaskKey> keys, database.tasks(wanted.source));
  bool is_known = keys.empty();
  for (const TaskKey& key : keys) {
    if (key.configuration != timing.configuration || key.memory != timing.memory) continue;
    is_known = true;
    VTA_RETURN_IF_ERROR(readTask(database, key, wanted));
  }
  if (is_known) return {};
  VTA_ASSIGN_OR_RETURN(const std::string machines, machinesOf(database, wanted.source));
  remarks_.push_back(fmt::format(
      "'{}' has no trial for the accelerator {} with the memory {}, but for: {}. Schedules of "
      "equal "
      "layers are tried, and taken where they are faster",
      database.file().string(), wanted.vta->hw.name(), wanted.vta->memory.name, machines));
  return {};
}

Status TunedSchedules::readTask(const Database& database, const TaskKey& key,
                                const TunedFor& wanted) {
  VTA_ASSIGN_OR_RETURN(const auto trials, fastestFirst(database, key, wanted.source));
  const auto desc = parseWorkload(key.workload);
  if (!desc.ok() || !kernel::validateKernelDesc(*desc, wanted.vta->hw).ok()) {
    counts_.unfit += std::ssize(trials);
    return {};
  }
  const HwConfig& hw = wanted.vta->hw;
  const kernel::ScheduleFloor floor(*desc, hw, memoryTraits(wanted.vta->memory, hw));
  for (const TrialRecord& trial : trials) {
    const auto schedule = parseSchedule(trial.schedule);
    const auto plan = schedule.ok() ? kernel::planKernel(*desc, *schedule, hw)
                                    : Result<kernel::KernelPlan>(schedule.status());
    if (!plan.ok()) {
      ++counts_.unfit;
      continue;
    }
    const bool is_exact = wanted.source == kSimulatorSource;
    if (is_exact && trial.cycles < floor.leastCycles(*schedule, *plan)) {
      ++counts_.impossible;
      continue;
    }
    VTA_ASSIGN_OR_RETURN(const auto proof, database.proof(key, wanted.source));
    const uint64_t proven = proof ? proof->floor_cycles : 0;
    if (proven > trial.cycles) ++counts_.beaten;
    chosen_[key.workload] = {*schedule, proven == trial.cycles ? kProven : kTuned};
    break;
  }
  return {};
}

Status TunedSchedules::readCpu(const Database& database, const std::string& cpu) {
  VTA_ASSIGN_OR_RETURN(const std::vector<TaskKey> keys, database.tasks(kCpuSource));
  bool is_known = keys.empty();
  for (const TaskKey& key : keys) {
    if (key.configuration != cpu) continue;
    is_known = true;
    VTA_ASSIGN_OR_RETURN(const auto trials, fastestFirst(database, key, kCpuSource));
    for (const TrialRecord& trial : trials) {
      const auto schedule = parseConvSchedule(trial.schedule);
      if (schedule.ok()) {
        convolutions_[key.workload] = *schedule;
        break;
      }
      ++counts_.unfit;
    }
  }
  if (is_known) return {};
  VTA_ASSIGN_OR_RETURN(const std::string machines, machinesOf(database, kCpuSource));
  remarks_.push_back(fmt::format("'{}' has no trial for this CPU ({}), but for: {}",
                                 database.file().string(), cpu, machines));
  return {};
}

Status TunedSchedules::readGpu(const Database& database, const std::string& gpu) {
  const std::string source = gpuSource(gpu);
  VTA_ASSIGN_OR_RETURN(const std::vector<TaskKey> keys, database.tasks(source));
  const bool has_tensor_cores = std::ranges::any_of(keys, [&](const TaskKey& key) {
    const auto limits = parseGpuLimits(key.memory);
    return key.configuration == gpu && limits.ok() && limits->warp > 0;
  });
  for (const TaskKey& key : keys) {
    VTA_ASSIGN_OR_RETURN(const auto trials, fastestFirst(database, key, source));
    const auto spec = parseGemmWorkload(key.workload);
    const auto limits = parseGpuLimits(key.memory);
    if (has_tensor_cores && limits.ok() && limits->warp == 0) {
      counts_.older += std::ssize(trials);
      continue;
    }
    if (key.configuration != gpu || !spec.ok() || !limits.ok()) {
      counts_.unfit += std::ssize(trials);
      continue;
    }
    for (const TrialRecord& trial : trials) {
      const auto schedule = parseGemmSchedule(trial.schedule);
      if (schedule.ok() && brokenRule(*spec, *schedule, *limits).empty()) {
        products_[key.workload] = *schedule;
        gpu_limits_ = *limits;
        break;
      }
      ++counts_.unfit;
    }
  }
  return {};
}

void TunedSchedules::describe(const Database& database) {
  const std::pair<int64_t, const char*> found[] = {
      {counts_.unfit, "trials have a schedule that does not fit their layer: they are left aside"},
      {counts_.impossible,
       "trials have fewer cycles than are proven: they cannot be true and are left aside"},
      {counts_.beaten, "proofs are beaten by a trial: they are left aside"},
      {counts_.older,
       "trials are from before the GPU's tensor cores were searched: they are left aside"}};
  for (const auto& [count, text] : found) {
    if (count == 0) continue;
    remarks_.push_back(fmt::format("'{}': {} {}", database.file().string(), count, text));
  }
}

std::optional<kernel::ChosenSchedule> TunedSchedules::find(const std::string& workload) const {
  const auto found = chosen_.find(workload);
  return found == chosen_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<ConvSchedule> TunedSchedules::findConv(const std::string& workload) const {
  const auto found = convolutions_.find(workload);
  return found == convolutions_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<GemmSchedule> TunedSchedules::findGemm(const std::string& workload) const {
  const auto found = products_.find(workload);
  return found == products_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace vta::tune
