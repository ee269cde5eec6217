#include "driver/runtime/session.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"
#include "driver/runtime/background/run_progress.h"
#include "driver/runtime/background/staged_queue.h"
#include "driver/runtime/executor.h"
#include "driver/runtime/kept_text.h"
#include "driver/runtime/layer_runs.h"
#include "driver/runtime/machines.h"
#include "module/analysis/text_rows.h"
#include "module/check_inputs.h"
#include "module/host/host_threads.h"

namespace vta::driver {
namespace {

class SessionImpl final : public Session {
 public:
  /// `devices` by executor; null: none.
  SessionImpl(std::shared_ptr<const LoadedModule> module, std::span<MemoryDevice* const> devices,
              const SessionOptions& options)
      : module_(std::move(module)),
        info_(module_->info()),
        devices_(devices.begin(), devices.end()),
        options_(options),
        share_(options.share ? options.share
                             : std::make_shared<SessionShare>(options.num_threads)) {}

  Status prepare();
  double progress() const override;
  Result<RunResult> run(const TensorMap& inputs) override;
  Status clearState() override { return machines_->memory().clearState(); }
  Result<std::vector<std::byte>> saveState() override {
    return machines_->memory().saveState(state_places_);
  }
  Status loadState(std::span<const std::byte> state) override;
  Result<std::unique_ptr<Session>> fork() override;
  int64_t textLength() const override { return text_->length(); }
  Status shortenText(int64_t length) override { return text_->shorten(length); }
  const LoadedModule& module() const override { return *module_; }

 private:
  Result<RunResult> runWords(const TensorMap& inputs, int64_t words);
  Status startTracing();
  std::vector<ActionInfo> chooseActions() const;
  std::span<const Action> singleSteps() const;
  Status prepareActions();
  Status addLayers(RunResult& result);
  bool needsLayers() const { return options_.per_layer || options_.verify || options_.observe; }
  Status checkPrograms() const;
  double workOf(const ActionInfo& action) const;
  std::vector<std::function<Status()>> partsOf(size_t i, StepProfile& profile);
  Status runActions(RunResult& result);
  Status waitFor(const std::vector<WaitInfo>& waits);
  Status finishQueues();

  std::shared_ptr<const LoadedModule> module_;
  const ModuleInfo& info_;
  std::vector<MemoryDevice*> devices_;
  SessionOptions options_;
  std::shared_ptr<SessionShare> share_;
  std::unique_ptr<Machines> machines_;
  std::vector<StatePlace> state_places_;
  std::unique_ptr<KeptText> text_;
  std::vector<Action> actions_;
  std::unique_ptr<LayerRuns> layers_;      // with needsLayers()
  bool records_for_shares_ = false;        // tracing is on, but nobody asked for it
  std::unique_ptr<RunProgress> progress_;  // of layers by themselves, then of the actions
  // By executor, of its actions in background; null where it has none.
  std::vector<std::unique_ptr<StagedQueue>> queues_;
};

std::vector<ActionInfo> SessionImpl::chooseActions() const {
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
    VTA_RETURN_IF_ERROR(
        machines_->executor(action.executor).checkCode(action, options_.check_program));
  }
  return {};
}

Status SessionImpl::startTracing() {
  if (options_.trace) return machines_->setTracing(Tracing::kAll);
  if (!needsLayers()) return {};
  records_for_shares_ = true;
  const Status status = machines_->setTracing(Tracing::kInstructions);
  return status.code() == StatusCode::kUnsupported ? Status() : status;
}

Status SessionImpl::prepare() {
  VTA_ASSIGN_OR_RETURN(machines_, Machines::create(*module_, devices_, options_, *share_));
  VTA_RETURN_IF_ERROR(startTracing());
  const std::vector<ActionInfo> infos = chooseActions();
  VTA_ASSIGN_OR_RETURN(const CopyPlan plan, machines_->plan(infos, false));
  std::vector<const CopyPlan*> plans = {&plan};
  if (needsLayers()) {
    layers_ = std::make_unique<LayerRuns>(*module_, *machines_, options_, *share_);
    VTA_RETURN_IF_ERROR(layers_->plan());
    plans.push_back(&layers_->copies());
  }
  VTA_RETURN_IF_ERROR(machines_->allocate(plans));
  text_ = std::make_unique<KeptText>(info_, machines_->memory());
  VTA_RETURN_IF_ERROR(checkPrograms());
  // First, so that its programs lie where they do in a session without layers.
  VTA_ASSIGN_OR_RETURN(actions_, machines_->prepare(infos, plan));
  state_places_ = plan.state;
  if (layers_) VTA_RETURN_IF_ERROR(layers_->prepare(plan.state));
  queues_.resize(info_.executors.size());
  for (const ActionInfo& info : infos) {
    auto& queue = queues_[info.executor];
    if (!info.in_background || queue) continue;
    queue = std::make_unique<StagedQueue>(machines_->copiesBesideWork(info.executor) ? 3 : 1);
  }
  std::vector<double> work;
  for (const std::span<const Action> part : {singleSteps(), std::span<const Action>(actions_)}) {
    for (const Action& action : part) work.push_back(workOf(action.info));
  }
  progress_ = std::make_unique<RunProgress>(std::move(work));
  return {};
}

std::span<const Action> SessionImpl::singleSteps() const {
  return layers_ ? layers_->steps() : std::span<const Action>();
}

Status SessionImpl::waitFor(const std::vector<WaitInfo>& waits) {
  for (const WaitInfo& wait : waits) {
    if (wait.count > 0) VTA_RETURN_IF_ERROR(queues_[wait.executor]->wait(wait.count));
  }
  return {};
}

/// What the queue of action `i` does.
std::vector<std::function<Status()>> SessionImpl::partsOf(size_t i, StepProfile& profile) {
  const Action& action = actions_[i];
  const auto ended = [this, i](Status status) {
    progress_->endAction(singleSteps().size() + i);
    return status;
  };
  if (queues_[action.info.executor]->stages() == 1) {
    return {[this, &action, &profile, ended] { return ended(machines_->run(action, profile)); }};
  }
  return {[this, &action, &profile] { return machines_->bring(action, profile); },
          [this, &action, &profile] { return machines_->work(action, profile); },
          [this, &action, &profile, ended] { return ended(machines_->fetch(action, profile)); }};
}

Status SessionImpl::runActions(RunResult& result) {
  for (size_t i = 0; i < actions_.size(); ++i) {
    const Action& action = actions_[i];
    StepProfile& profile = result.profile[i];
    profile.first_step = action.info.first_step;
    profile.step_count = action.info.step_count;
    VTA_RETURN_IF_ERROR(waitFor(action.info.waits));
    if (action.info.in_background) {
      queues_[action.info.executor]->add(partsOf(i, profile));
      continue;
    }
    VTA_RETURN_IF_ERROR(machines_->run(action, profile));
    progress_->endAction(singleSteps().size() + i);
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
    double elements = 0;
    if (!step.arguments.empty()) {
      elements = static_cast<double>(info_.tensors[step.arguments.back()].size_bytes);
    }
    work += std::max(static_cast<double>(info_.layers[step.layer].macs), elements);
  }
  return work;
}

double SessionImpl::progress() const {
  return progress_->fraction([&](size_t i) {
    const std::span<const Action> steps = singleSteps();
    return (i < steps.size() ? steps[i] : actions_[i - steps.size()]).prepared->progress();
  });
}

/// What is known of layers. After the first run nothing is recorded any more that nobody has asked
/// for.
Status SessionImpl::addLayers(RunResult& result) {
  if (!layers_) return {};
  const bool was_known = layers_->knowsShares();
  layers_->addTo(result);
  if (!records_for_shares_) return {};
  for (StepProfile& launch : result.profile) launch.trace.reset();
  return was_known ? Status() : machines_->setTracing(Tracing::kOff);
}

Result<RunResult> SessionImpl::run(const TensorMap& inputs) {
  if (!text_->needsFilling(inputs)) return runWords(inputs, mostWordsOfRun(info_));
  TensorMap filled = inputs;
  const int64_t words = text_->fillUp(filled);
  return runWords(filled, words);
}

/// The first `words` of the inputs' words are those of the text.
Result<RunResult> SessionImpl::runWords(const TensorMap& inputs, int64_t words) {
  VTA_RETURN_IF_ERROR(checkInputs(info_, inputs));
  VTA_RETURN_IF_ERROR(text_->checkRoom(words));
  RunResult result;
  progress_->begin();
  Status ran;
  if (layers_) {
    ran = layers_->run(inputs, result, [this](size_t step) { progress_->endAction(step); });
    for (size_t i = 0; i < singleSteps().size(); ++i) progress_->endAction(i);
  }
  const Clock::time_point start = Clock::now();
  if (ran.ok()) {
    machines_->memory().copyInputs(inputs);
    result.profile.resize(actions_.size());
    ran = runActions(result);
  }
  // Whatever happened: nothing runs any more when this returns.
  const Status ended = finishQueues();
  progress_->end();
  VTA_RETURN_IF_ERROR(ran);
  VTA_RETURN_IF_ERROR(ended);
  VTA_ASSIGN_OR_RETURN(TensorMap outputs, machines_->memory().copyOutputs());
  result.seconds = secondsSince(start);
  VTA_RETURN_IF_ERROR(compareOutputs(result.outputs, outputs));
  VTA_RETURN_IF_ERROR(text_->append(words));
  result.outputs = std::move(outputs);
  VTA_RETURN_IF_ERROR(addLayers(result));
  return result;
}

Status SessionImpl::loadState(std::span<const std::byte> state) {
  uint64_t size_bytes = 0;
  for (const StatePlace& place : state_places_) size_bytes += place.range.size_bytes;
  if (state.size() != size_bytes) {
    return invalidArgument(
        fmt::format("a state of {} bytes is not of this module, whose state has {} bytes",
                    state.size(), size_bytes));
  }
  return machines_->memory().restoreState(state_places_, state);
}

Result<std::unique_ptr<Session>> SessionImpl::fork() {
  auto other = std::make_unique<SessionImpl>(module_, devices_, options_);
  VTA_RETURN_IF_ERROR(other->prepare());
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> state, saveState());
  VTA_RETURN_IF_ERROR(other->loadState(state));
  return std::unique_ptr<Session>(std::move(other));
}

Result<std::unique_ptr<Session>> createSession(std::shared_ptr<const LoadedModule> module,
                                               std::span<MemoryDevice* const> devices,
                                               const SessionOptions& options) {
  auto session = std::make_unique<SessionImpl>(std::move(module), devices, options);
  VTA_RETURN_IF_ERROR(session->prepare());
  return std::unique_ptr<Session>(std::move(session));
}

}  // namespace

DeviceMap oneDeviceFor(const ModuleInfo& info, MemoryDevice* device) {
  DeviceMap devices;
  for (const ExecutorInfo& executor : info.executors) {
    if (executor.kind != kCpuKind) devices[executor.name] = device;
  }
  return devices;
}

SessionShare::SessionShare(int num_threads)
    : threads(std::make_unique<HostThreads>(static_cast<unsigned>(std::max(0, num_threads)))) {}
SessionShare::~SessionShare() = default;

std::mutex& SessionShare::mutexOf(const MemoryDevice* memory) {
  const std::lock_guard lock(mutex_);
  return machines_[memory];
}

std::mutex& SessionShare::copyMutexOf(const MemoryDevice* memory) {
  const std::lock_guard lock(mutex_);
  return copies_[memory];
}

Result<std::unique_ptr<Session>> Session::create(std::shared_ptr<const LoadedModule> module,
                                                 const DeviceMap& devices,
                                                 const SessionOptions& options) {
  const std::vector<ExecutorInfo>& executors = module->info().executors;
  std::vector<MemoryDevice*> by_executor(executors.size(), nullptr);
  for (const auto& [name, device] : devices) {
    const auto found = std::ranges::find(executors, name, &ExecutorInfo::name);
    if (found == executors.end() || found->kind == kCpuKind) {
      return invalidArgument(fmt::format("the module has no executor '{}' for a device", name));
    }
    by_executor[found - executors.begin()] = device;
  }
  return createSession(std::move(module), by_executor, options);
}

Result<std::unique_ptr<Session>> Session::create(std::shared_ptr<const LoadedModule> module,
                                                 MemoryDevice* device,
                                                 const SessionOptions& options) {
  const DeviceMap devices = oneDeviceFor(module->info(), device);
  return create(std::move(module), devices, options);
}

}  // namespace vta::driver
