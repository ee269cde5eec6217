#include "driver/runtime/machines.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <utility>

#include "base/clock.h"

namespace vta::driver {
namespace {

/// Runs `part`; it takes so long more.
template <typename Part>
Status timed(double& seconds, const Part& part) {
  const Clock::time_point start = Clock::now();
  Status status = part();
  seconds += secondsSince(start);
  return status;
}

}  // namespace

Result<std::unique_ptr<Machines>> Machines::create(const LoadedModule& module,
                                                   std::span<MemoryDevice* const> devices,
                                                   const SessionOptions& options,
                                                   SessionShare& share) {
  std::unique_ptr<Machines> machines(new Machines(module, options, share));
  machines->memories_.push_back(&machines->host_);
  for (uint32_t i = 0; i < devices.size(); ++i) {
    VTA_ASSIGN_OR_RETURN(auto executor,
                         createExecutor({module, options, share, machines->host_, i, devices[i]}));
    machines->addMemory(executor->memory());
    machines->executors_.push_back(std::move(executor));
  }
  return machines;
}

/// Executors on one machine have one memory.
void Machines::addMemory(MemoryDevice& memory) {
  const auto known = std::ranges::find(memories_, &memory);
  memory_of_executor_.push_back(static_cast<uint32_t>(known - memories_.begin()));
  if (known == memories_.end()) memories_.push_back(&memory);
}

Status Machines::setTracing(Tracing tracing) {
  Status first;
  for (size_t i = 0; i < executors_.size(); ++i) {
    const std::lock_guard lock(share_.mutexOf(memories_[memory_of_executor_[i]]));
    const Status status = executors_[i]->setTracing(tracing);
    if (first.ok()) first = status;
  }
  return first;
}

Result<CopyPlan> Machines::plan(std::span<const ActionInfo> actions,
                                bool host_reads_arguments) const {
  std::vector<PlannedAction> planned;
  for (const ActionInfo& action : actions) {
    VTA_ASSIGN_OR_RETURN(ActionTensors tensors, executors_[action.executor]->tensorsOf(action));
    planned.push_back({&action, memory_of_executor_[action.executor], std::move(tensors), {}});
    if (!host_reads_arguments || info_.isOnCpu(info_.steps[action.first_step])) continue;
    const auto steps = std::span(info_.steps).subspan(action.first_step, action.step_count);
    for (const StepInfo& step : steps) {
      std::ranges::copy(step.arguments, std::back_inserter(planned.back().host_reads));
    }
  }
  return planCopies(info_, planned, static_cast<uint32_t>(memories_.size()));
}

Status Machines::allocate(std::span<const CopyPlan* const> plans) {
  SessionMemory::Layout layout = {memories_, memory_of_executor_, {}};
  layout.places.assign(memories_.size(), std::vector<bool>(info_.tensors.size(), false));
  for (const CopyPlan* plan : plans) {
    for (size_t m = 0; m < memories_.size(); ++m) {
      for (size_t i = 0; i < info_.tensors.size(); ++i) {
        if (plan->places[m][i]) layout.places[m][i] = true;
      }
    }
  }
  VTA_ASSIGN_OR_RETURN(memory_, SessionMemory::create(module_, std::move(layout)));
  return {};
}

Result<std::vector<Action>> Machines::prepare(std::span<const ActionInfo> actions,
                                              const CopyPlan& plan) {
  std::vector<Action> prepared;
  for (size_t i = 0; i < actions.size(); ++i) {
    const ActionInfo& info = actions[i];
    VTA_ASSIGN_OR_RETURN(auto action,
                         executors_[info.executor]->prepare(info, placesOf(info.executor)));
    prepared.push_back({info, plan.actions[i], std::move(action)});
  }
  return prepared;
}

MemoryDevice* Machines::machineOf(const Action& action) const {
  return memories_[memory_of_executor_[action.info.executor]];
}

bool Machines::copiesBesideWork(uint32_t executor) const {
  return memories_[memory_of_executor_[executor]]->copiesBesideWork();
}

Status Machines::run(const Action& action, StepProfile& profile) {
  if (copiesBesideWork(action.info.executor)) {
    VTA_RETURN_IF_ERROR(bring(action, profile));
    VTA_RETURN_IF_ERROR(work(action, profile));
    return fetch(action, profile);
  }
  MemoryDevice* const machine = machineOf(action);
  profile.is_launch = !info_.isOnCpu(info_.steps[action.info.first_step]);
  return timed(profile.seconds, [&]() -> Status {
    // To the end of the copies, so that the host can go on with the results while the machine is
    // another session's. The host itself does many things at a time.
    std::unique_lock<std::mutex> lock;
    if (machine != memories_[kHostMemory]) lock = std::unique_lock(share_.mutexOf(machine));
    if (!action.copies.from_host.empty()) {
      VTA_RETURN_IF_ERROR(timed(profile.copy_seconds, [&] { return copyTo(action); }));
    }
    VTA_RETURN_IF_ERROR(action.prepared->run(profile));
    if (action.copies.to_host.empty()) return {};
    return timed(profile.copy_seconds, [&] { return copyFrom(action); });
  });
}

Status Machines::bring(const Action& action, StepProfile& profile) {
  profile.is_launch = true;
  if (action.copies.from_host.empty()) return {};
  const std::lock_guard lock(share_.copyMutexOf(machineOf(action)));
  Status status = timed(profile.copy_seconds, [&] { return copyTo(action); });
  profile.seconds = profile.copy_seconds;
  return status;
}

Status Machines::work(const Action& action, StepProfile& profile) {
  const std::lock_guard lock(share_.mutexOf(machineOf(action)));
  return timed(profile.seconds, [&] { return action.prepared->run(profile); });
}

Status Machines::fetch(const Action& action, StepProfile& profile) {
  if (action.copies.to_host.empty()) return {};
  const std::lock_guard lock(share_.copyMutexOf(machineOf(action)));
  return timed(profile.seconds,
               [&] { return timed(profile.copy_seconds, [&] { return copyFrom(action); }); });
}

Status Machines::copyTo(const Action& action) {
  for (const SpaceRange& range : action.copies.from_host) {
    const Status status = memory_->fromHost(memory_of_executor_[action.info.executor], range);
    if (!status.ok()) return status.withContext(copyName(action, "to"));
  }
  return {};
}

Status Machines::copyFrom(const Action& action) {
  for (const SpaceRange& range : action.copies.to_host) {
    const Status status = memory_->toHost(memory_of_executor_[action.info.executor], range);
    if (!status.ok()) return status.withContext(copyName(action, "from"));
  }
  return {};
}

/// For errors.
std::string Machines::copyName(const Action& action, std::string_view direction) const {
  return fmt::format("layer '{}': copying {} the memory of '{}'", layerOf(info_, action.info),
                     direction, info_.executors[action.info.executor].name);
}

}  // namespace vta::driver
