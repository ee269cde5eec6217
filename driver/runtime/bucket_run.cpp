#include "driver/runtime/bucket_run.h"

#include <algorithm>

#include "base/clock.h"
#include "module/analysis/text_rows.h"
#include "module/check_inputs.h"

namespace vta::driver {

Result<std::unique_ptr<BucketRun>> BucketRun::create(const LoadedModule& network,
                                                     std::span<MemoryDevice* const> devices,
                                                     const SessionOptions& options,
                                                     SessionShare& share) {
  std::unique_ptr<BucketRun> run(new BucketRun(network, options, share));
  VTA_ASSIGN_OR_RETURN(run->machines_, Machines::create(network, devices, options, share));
  VTA_RETURN_IF_ERROR(run->startTracing());
  run->chooseActions();
  VTA_ASSIGN_OR_RETURN(run->plan_, run->machines_->plan(run->infos_, false));
  if (run->needsLayers()) {
    run->layers_ = std::make_unique<LayerRuns>(network, *run->machines_, options, share);
    VTA_RETURN_IF_ERROR(run->layers_->plan());
  }
  return run;
}

std::vector<const CopyPlan*> BucketRun::plans() const {
  std::vector<const CopyPlan*> plans = {&plan_};
  if (layers_) plans.push_back(&layers_->copies());
  return plans;
}

void BucketRun::chooseActions() {
  infos_ = info_.actions;
  if (options_.overlap) return;
  for (ActionInfo& action : infos_) {
    action.in_background = false;
    action.waits.clear();
  }
}

/// Has the programs proved legal that a run without verification would launch.
Status BucketRun::checkPrograms() const {
  if (!options_.verify || !options_.check_program) return {};
  for (const ActionInfo& action : info_.actions) {
    VTA_RETURN_IF_ERROR(
        machines_->executor(action.executor).checkCode(action, options_.check_program));
  }
  return {};
}

Status BucketRun::startTracing() {
  if (options_.trace) return machines_->setTracing(Tracing::kAll);
  if (!needsLayers()) return {};
  records_for_shares_ = true;
  return recordShares();
}

Status BucketRun::recordShares() {
  const Status status = machines_->setTracing(Tracing::kInstructions);
  return status.code() == StatusCode::kUnsupported ? Status() : status;
}

Status BucketRun::prepare() {
  text_ = std::make_unique<KeptText>(info_, machines_->memory());
  VTA_RETURN_IF_ERROR(checkPrograms());
  // First, so that its programs lie where they do in a session without layers.
  VTA_ASSIGN_OR_RETURN(actions_, machines_->prepare(infos_, plan_));
  if (layers_) VTA_RETURN_IF_ERROR(layers_->prepare(plan_.state));
  queues_.resize(info_.executors.size());
  for (const ActionInfo& info : infos_) {
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

std::span<const Action> BucketRun::singleSteps() const {
  return layers_ ? layers_->steps() : std::span<const Action>();
}

Status BucketRun::waitFor(const std::vector<WaitInfo>& waits) {
  for (const WaitInfo& wait : waits) {
    if (wait.count > 0) VTA_RETURN_IF_ERROR(queues_[wait.executor]->wait(wait.count));
  }
  return {};
}

/// What the queue of action `i` does.
std::vector<std::function<Status()>> BucketRun::partsOf(size_t i, StepProfile& profile) {
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

Status BucketRun::runActions(RunResult& result) {
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
Status BucketRun::finishQueues() {
  Status status;
  for (const auto& queue : queues_) {
    const Status ended = queue ? queue->finish() : Status();
    if (status.ok()) status = ended;
  }
  return status;
}

/// A layer's multiplications, or the elements of what has none.
double BucketRun::workOf(const ActionInfo& action) const {
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

double BucketRun::progress() const {
  return progress_->fraction([&](size_t i) {
    const std::span<const Action> steps = singleSteps();
    return (i < steps.size() ? steps[i] : actions_[i - steps.size()]).prepared->progress();
  });
}

/// What is known of layers. After the first run nothing is recorded any more that nobody has asked
/// for.
Status BucketRun::addLayers(RunResult& result) {
  if (!layers_) return {};
  const bool was_known = layers_->knowsShares();
  layers_->addTo(result);
  if (!records_for_shares_) return {};
  for (StepProfile& launch : result.profile) launch.trace.reset();
  return was_known ? Status() : machines_->setTracing(Tracing::kOff);
}

bool BucketRun::takes(const TensorMap& inputs) const {
  return text_->needsFilling(inputs) || checkInputs(info_, inputs).ok();
}

Result<RunResult> BucketRun::run(const TensorMap& inputs) {
  if (!text_->needsFilling(inputs)) return runWords(inputs, mostWordsOfRun(info_));
  TensorMap filled = inputs;
  const int64_t words = text_->fillUp(filled);
  return runWords(filled, words);
}

/// The first `words` of the inputs' words are those of the text.
Result<RunResult> BucketRun::runWords(const TensorMap& inputs, int64_t words) {
  VTA_RETURN_IF_ERROR(checkInputs(info_, inputs));
  VTA_RETURN_IF_ERROR(text_->checkRoom(words));
  // The runs of another bucket may have ended it.
  if (records_for_shares_ && !layers_->knowsShares()) VTA_RETURN_IF_ERROR(recordShares());
  RunResult result;
  result.network = &info_;
  progress_->begin();
  Status ran;
  if (layers_) {
    ran = layers_->run(inputs, result, [this](size_t step) { progress_->endAction(step); });
    for (size_t i = 0; i < singleSteps().size(); ++i) progress_->endAction(i);
  }
  const Clock::time_point start = Clock::now();
  if (ran.ok()) {
    machines_->memory().copyInputs(info_, inputs);
    result.profile.resize(actions_.size());
    ran = runActions(result);
  }
  // Whatever happened: nothing runs any more when this returns.
  const Status ended = finishQueues();
  progress_->end();
  VTA_RETURN_IF_ERROR(ran);
  VTA_RETURN_IF_ERROR(ended);
  VTA_ASSIGN_OR_RETURN(TensorMap outputs, machines_->memory().copyOutputs(info_));
  result.seconds = secondsSince(start);
  VTA_RETURN_IF_ERROR(compareOutputs(result.outputs, outputs));
  VTA_RETURN_IF_ERROR(text_->append(words));
  result.outputs = std::move(outputs);
  VTA_RETURN_IF_ERROR(addLayers(result));
  return result;
}

}  // namespace vta::driver
