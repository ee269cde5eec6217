#include "driver/runtime/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "base/clock.h"
#include "driver/runtime/executor.h"
#include "driver/runtime/launch_queue.h"
#include "driver/runtime/module_programs.h"
#include "driver/runtime/run_progress.h"
#include "driver/runtime/session_memory.h"
#include "driver/runtime/verify.h"
#include "module/check_inputs.h"
#include "module/counted_output.h"
#include "module/host_threads.h"

namespace vta::driver {
namespace {

/// What a session does, one after the other.
struct Action {
  ActionInfo info;
  std::unique_ptr<PreparedAction> prepared;
};

class SessionImpl final : public Session {
 public:
  /// `devices` by executor; null for the CPU.
  SessionImpl(std::shared_ptr<const LoadedModule> module, std::vector<Device*> devices,
              const SessionOptions& options)
      : module_(std::move(module)),
        info_(module_->info()),
        devices_(std::move(devices)),
        options_(options),
        share_(options.share ? options.share
                             : std::make_shared<SessionShare>(options.num_threads)) {}

  Status prepare();
  double progress() const override;
  Result<RunResult> run(const TensorMap& inputs) override;
  Status clearState() override { return memory_->clearState(); }
  const LoadedModule& module() const override { return *module_; }

 private:
  Status checkDevices() const;
  void findHostAccess();
  Status createExecutors();
  std::vector<ActionInfo> chooseActions() const;
  Status checkPrograms() const;
  void copyInputs(const TensorMap& inputs);
  Result<TensorMap> copyOutputs() const;
  double workOf(const ActionInfo& action) const;
  Status runActions(RunResult& result);
  Status runAction(const Action& action, RunResult& result, StepProfile& profile);
  Status waitFor(const std::vector<WaitInfo>& waits);
  Status finishQueues();
  Status verifyStep(const StepInfo& step);
  Status explain(const Action& action, const Status& problem, bool has_failed);

  std::shared_ptr<const LoadedModule> module_;
  const ModuleInfo& info_;
  std::vector<Device*> devices_;
  SessionOptions options_;
  std::shared_ptr<SessionShare> share_;
  std::unique_ptr<SessionMemory> memory_;
  HostAccess host_access_;
  std::vector<std::unique_ptr<Executor>> executors_;
  std::vector<Action> actions_;
  std::unique_ptr<RunProgress> progress_;
  // By executor, of its actions in background; null where it has none.
  std::vector<std::unique_ptr<LaunchQueue>> queues_;
};

Status checkDevice(const ExecutorInfo& executor, const Device* device) {
  if (device == nullptr) {
    return invalidArgument(fmt::format(
        "the module needs a VTA device to run on, for its executor '{}'", executor.name));
  }
  const HwConfig& device_hw = device->info().hw;
  if (executor.hw->isProgramCompatible(device_hw)) return {};
  return invalidArgument(
      fmt::format("the module was built for configuration '{}', the device {} has '{}'; compile "
                  "the model for that one\n  module: {}\n  device: {}",
                  executor.hw->name(), device->info().name, device_hw.name(),
                  executor.hw->summary(), device_hw.summary()));
}

Status SessionImpl::checkDevices() const {
  for (size_t i = 0; i < info_.executors.size(); ++i) {
    if (!info_.executors[i].hw) continue;
    VTA_RETURN_IF_ERROR(checkDevice(info_.executors[i], devices_[i]));
  }
  return {};
}

void SessionImpl::findHostAccess() {
  host_access_.writes.assign(info_.tensors.size(), false);
  host_access_.reads.assign(info_.tensors.size(), false);
  for (const PortInfo& port : info_.inputs) host_access_.writes[port.tensor] = true;
  for (const PortInfo& port : info_.outputs) {
    host_access_.reads[port.tensor] = true;
    if (port.isCounted()) host_access_.reads[static_cast<size_t>(port.count)] = true;
  }
  for (const StepInfo& step : info_.steps) {
    const bool on_host = info_.isOnCpu(step);
    if (!on_host && !options_.verify) continue;
    const size_t first_result = step.arguments.size() - step.num_results;
    for (size_t i = 0; i < step.arguments.size(); ++i) {
      const bool is_result = i >= first_result;
      if (is_result && on_host) host_access_.writes[step.arguments[i]] = true;
      // A reference's result is compared on the host.
      if (!is_result || !on_host) host_access_.reads[step.arguments[i]] = true;
    }
  }
}

Status SessionImpl::createExecutors() {
  for (uint32_t i = 0; i < info_.executors.size(); ++i) {
    VTA_ASSIGN_OR_RETURN(auto executor, createExecutor({*module_, *memory_, options_, *share_,
                                                        host_access_, i, devices_[i]}));
    executors_.push_back(std::move(executor));
  }
  queues_.resize(info_.executors.size());
  return {};
}

/// The module's actions, or its steps one by one.
std::vector<ActionInfo> SessionImpl::chooseActions() const {
  if (options_.per_layer || options_.verify) {
    std::vector<ActionInfo> actions;
    for (uint32_t i = 0; i < info_.steps.size(); ++i) {
      actions.push_back({info_.steps[i].executor, i, 1, info_.steps[i].entry, false, {}});
    }
    return actions;
  }
  std::vector<ActionInfo> actions = info_.actions;
  if (options_.overlap) return actions;
  for (ActionInfo& action : actions) {
    action.in_background = false;
    action.waits.clear();
  }
  return actions;
}

/// Has the programs proved legal that a run without verification would launch.
Status SessionImpl::checkPrograms() const {
  if (!options_.verify || !options_.check_program) return {};
  for (const ActionInfo& action : info_.actions) {
    const ExecutorInfo& executor = info_.executors[action.executor];
    if (!executor.hw) continue;
    VTA_ASSIGN_OR_RETURN(const Program program, decodeLaunchInArena(*module_, action));
    VTA_RETURN_IF_ERROR(options_.check_program(program, *executor.hw));
  }
  return {};
}

Status SessionImpl::prepare() {
  VTA_RETURN_IF_ERROR(checkDevices());
  for (Device* device : devices_) {
    if (options_.trace && device != nullptr) VTA_RETURN_IF_ERROR(device->setTracing(true));
  }
  VTA_ASSIGN_OR_RETURN(memory_, SessionMemory::create(*module_, devices_));
  findHostAccess();
  VTA_RETURN_IF_ERROR(createExecutors());
  VTA_RETURN_IF_ERROR(checkPrograms());
  std::vector<double> work;
  for (ActionInfo& info : chooseActions()) {
    VTA_ASSIGN_OR_RETURN(auto prepared, executors_[info.executor]->prepare(info));
    auto& queue = queues_[info.executor];
    if (info.in_background && !queue) queue = std::make_unique<LaunchQueue>();
    work.push_back(workOf(info));
    actions_.push_back({std::move(info), std::move(prepared)});
  }
  progress_ = std::make_unique<RunProgress>(std::move(work));
  return {};
}

void SessionImpl::copyInputs(const TensorMap& inputs) {
  for (const PortInfo& port : info_.inputs) {
    const Tensor& tensor = inputs.at(port.name);
    std::ranges::copy(tensor.data, memory_->hostPointer(port.tensor));
  }
}

Result<TensorMap> SessionImpl::copyOutputs() const {
  TensorMap outputs;
  for (const PortInfo& port : info_.outputs) {
    const auto size_bytes = static_cast<size_t>(info_.tensors[port.tensor].size_bytes);
    int64_t count = 0;
    if (port.isCounted()) {
      std::memcpy(&count, memory_->hostPointer(static_cast<uint32_t>(port.count)), sizeof count);
    }
    VTA_ASSIGN_OR_RETURN(
        outputs[port.name],
        outputOf(info_, port, {memory_->hostPointer(port.tensor), size_bytes}, count));
  }
  return outputs;
}

Status SessionImpl::verifyStep(const StepInfo& step) {
  const uint32_t tensor = step.arguments.back();
  const uint64_t size_bytes = info_.tensors[tensor].size_bytes;
  const std::string layer = fmt::format("layer '{}'", info_.layers[step.layer].name);
  const AlignedBytes expected(size_bytes);
  if (expected.data() == nullptr) {
    return {StatusCode::kResourceExhausted,
            fmt::format("{}: there is not enough memory to verify: {} bytes", layer, size_bytes)};
  }
  std::vector<void*> arguments;
  for (const uint32_t argument : step.arguments) {
    arguments.push_back(memory_->hostPointer(argument));
  }
  arguments.back() = expected.data();
  VTA_RETURN_IF_ERROR(
      share_->threads
          ->call(module_->function(static_cast<uint32_t>(step.reference)), arguments.data())
          .withContext(layer));
  const auto size = static_cast<size_t>(size_bytes);  // it lies in memory
  return compareWithReference(info_.tensors[tensor], {memory_->hostPointer(tensor), size},
                              {expected.data(), size})
      .withContext(layer);
}

Status SessionImpl::waitFor(const std::vector<WaitInfo>& waits) {
  for (const WaitInfo& wait : waits) {
    if (wait.count > 0) VTA_RETURN_IF_ERROR(queues_[wait.executor]->wait(wait.count));
  }
  return {};
}

Status SessionImpl::runAction(const Action& action, RunResult& result, StepProfile& profile) {
  const StepInfo& step = info_.steps[action.info.first_step];
  const bool verifies = options_.verify && !info_.isOnCpu(step);
  Status status = action.prepared->run(profile);
  if (!verifies) return status;
  const bool has_failed = !status.ok();
  if (!has_failed && step.reference >= 0) {
    const Clock::time_point start = Clock::now();
    status = verifyStep(step);
    ++result.verified_steps;
    profile.seconds += secondsSince(start);
  }
  const bool is_suspect =
      status.code() == StatusCode::kDeviceFault || status.code() == StatusCode::kDeadlineExceeded;
  return is_suspect ? explain(action, status, has_failed) : status;
}

/// Adds to `problem` what options_.explain has to say.
Status SessionImpl::explain(const Action& action, const Status& problem, bool has_failed) {
  if (!options_.explain) return problem;
  SuspectLayer layer = {*module_, action.info, *devices_[action.info.executor], {}, has_failed};
  const StepInfo& step = info_.steps[action.info.first_step];
  for (const int32_t buffer : info_.programs[action.info.entry].buffers) {
    const bool is_result = buffer >= 0 && static_cast<uint32_t>(buffer) == step.arguments.back();
    layer.contents.emplace_back();
    if (buffer < 0 || is_result) continue;
    layer.contents.back() = {
        memory_->hostPointer(static_cast<uint32_t>(buffer)),
        static_cast<size_t>(info_.tensors[static_cast<size_t>(buffer)].size_bytes)};
  }
  return {problem.code(), problem.message() + "\n" + options_.explain(layer)};
}

Status SessionImpl::runActions(RunResult& result) {
  for (size_t i = 0; i < actions_.size(); ++i) {
    const Action& action = actions_[i];
    StepProfile& profile = result.profile[i];
    profile.first_step = action.info.first_step;
    profile.step_count = action.info.step_count;
    VTA_RETURN_IF_ERROR(waitFor(action.info.waits));
    if (action.info.in_background) {
      queues_[action.info.executor]->add([this, i, &profile] {
        const Status status = actions_[i].prepared->run(profile);
        progress_->endAction(i);
        return status;
      });
      continue;
    }
    VTA_RETURN_IF_ERROR(runAction(action, result, profile));
    progress_->endAction(i);
  }
  return {};
}

/// Waits for whatever still runs. Errors: the first queue's.
Status SessionImpl::finishQueues() {
  Status status;
  for (const auto& queue : queues_) {
    const Status ended = queue ? queue->finish() : Status();
    if (status.ok()) status = ended;
  }
  return status;
}

/// A layer's multiplications, or the elements of what has none.
double SessionImpl::workOf(const ActionInfo& action) const {
  double work = 0;
  for (uint32_t i = 0; i < action.step_count; ++i) {
    const StepInfo& step = info_.steps[action.first_step + i];
    const double elements = static_cast<double>(info_.tensors[step.arguments.back()].size_bytes);
    work += std::max(static_cast<double>(info_.layers[step.layer].macs), elements);
  }
  return work;
}

double SessionImpl::progress() const {
  return progress_->fraction([&](size_t i) { return actions_[i].prepared->progress(); });
}

Result<RunResult> SessionImpl::run(const TensorMap& inputs) {
  VTA_RETURN_IF_ERROR(checkInputs(info_, inputs));
  RunResult result;
  const Clock::time_point start = Clock::now();
  progress_->begin();
  copyInputs(inputs);
  result.profile.resize(actions_.size());
  const Status ran = runActions(result);
  // Whatever happened: nothing runs any more when this returns.
  const Status ended = finishQueues();
  progress_->end();
  VTA_RETURN_IF_ERROR(ran);
  VTA_RETURN_IF_ERROR(ended);
  VTA_ASSIGN_OR_RETURN(result.outputs, copyOutputs());
  result.seconds = secondsSince(start);
  return result;
}

Result<std::unique_ptr<Session>> createSession(std::shared_ptr<const LoadedModule> module,
                                               std::vector<Device*> devices,
                                               const SessionOptions& options) {
  auto session = std::make_unique<SessionImpl>(std::move(module), std::move(devices), options);
  VTA_RETURN_IF_ERROR(session->prepare());
  return std::unique_ptr<Session>(std::move(session));
}

}  // namespace

SessionShare::SessionShare(int num_threads)
    : threads(std::make_unique<HostThreads>(static_cast<unsigned>(std::max(0, num_threads)))) {}
SessionShare::~SessionShare() = default;

std::mutex& SessionShare::mutexOf(const Device* device) {
  const std::lock_guard lock(mutex_);
  return devices_[device];
}

Result<std::unique_ptr<Session>> Session::create(std::shared_ptr<const LoadedModule> module,
                                                 const DeviceMap& devices,
                                                 const SessionOptions& options) {
  const std::vector<ExecutorInfo>& executors = module->info().executors;
  std::vector<Device*> by_executor(executors.size(), nullptr);
  for (const auto& [name, device] : devices) {
    const auto found = std::ranges::find(executors, name, &ExecutorInfo::name);
    if (found == executors.end() || found->kind == kCpuKind) {
      return invalidArgument(fmt::format("the module has no executor '{}' for a device", name));
    }
    by_executor[found - executors.begin()] = device;
  }
  return createSession(std::move(module), std::move(by_executor), options);
}

Result<std::unique_ptr<Session>> Session::create(std::shared_ptr<const LoadedModule> module,
                                                 Device* device, const SessionOptions& options) {
  std::vector<Device*> by_executor;
  for (const ExecutorInfo& executor : module->info().executors) {
    by_executor.push_back(executor.kind == kCpuKind ? nullptr : device);
  }
  return createSession(std::move(module), std::move(by_executor), options);
}

}  // namespace vta::driver
