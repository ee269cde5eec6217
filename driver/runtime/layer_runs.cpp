#include "driver/runtime/layer_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/clock.h"
#include "driver/runtime/layers/layer_shares.h"
#include "driver/runtime/layers/verify.h"
#include "module/host/host_threads.h"

namespace vta::driver {
namespace {

// The first run of a function touches its memory for the first time. The second one, too: what a
// large allocation gets from the system goes back to it when it is freed, until the C library has
// seen that there are more such allocations.
constexpr int kWarmUps = 2;

}  // namespace

Status LayerRuns::plan() {
  for (uint32_t i = 0; i < info_.steps.size(); ++i) {
    infos_.push_back({info_.steps[i].executor, i, 1, info_.steps[i].entry, false, {}});
  }
  VTA_ASSIGN_OR_RETURN(plan_, machines_.plan(infos_, runsEachTime()));
  return {};
}

Status LayerRuns::prepare(std::vector<StatePlace> state) {
  state_ = std::move(state);
  VTA_ASSIGN_OR_RETURN(steps_, machines_.prepare(infos_, plan_));
  return {};
}

Status LayerRuns::run(const TensorMap& inputs, RunResult& result,
                      const std::function<void(size_t step)>& ended) {
  if (!runsEachTime() && !layers_.empty()) return {};
  SessionMemory& memory = machines_.memory();
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> state, memory.saveState(state_));
  // To where the steps look for it, which need not be where the run does.
  VTA_RETURN_IF_ERROR(memory.restoreState(state_, state));
  const bool warms_up = options_.per_layer && layers_.empty() && isOnHostAlone();
  for (int pass = 0; warms_up && pass < kWarmUps; ++pass) {
    VTA_RETURN_IF_ERROR(warmUp(inputs));
    VTA_RETURN_IF_ERROR(memory.restoreState(state_, state));
  }
  memory.copyInputs(info_, inputs);
  std::vector<LayerProfile> layers(steps_.size());
  for (size_t i = 0; i < steps_.size(); ++i) {
    StepProfile& profile = layers[i].alone;
    profile.first_step = steps_[i].info.first_step;
    VTA_RETURN_IF_ERROR(runStep(steps_[i], result, profile));
    profile.trace.reset();
    ended(i);
  }
  layers_ = std::move(layers);
  if (options_.verify) {
    VTA_ASSIGN_OR_RETURN(result.outputs, memory.copyOutputs(info_));
  }
  return memory.restoreState(state_, state);
}

bool LayerRuns::isOnHostAlone() const {
  return std::ranges::all_of(info_.steps, [&](const auto& step) { return info_.isOnCpu(step); });
}

Status LayerRuns::warmUp(const TensorMap& inputs) {
  machines_.memory().copyInputs(info_, inputs);
  for (const Action& step : steps_) {
    StepProfile unwanted;
    VTA_RETURN_IF_ERROR(machines_.run(step, unwanted));
  }
  return {};
}

Status LayerRuns::runStep(const Action& action, RunResult& result, StepProfile& profile) {
  const StepInfo& step = info_.steps[action.info.first_step];
  const bool verifies = options_.verify && !info_.isOnCpu(step);
  Status status = machines_.run(action, profile);
  const bool has_failed = !status.ok();
  std::vector<AlignedBytes> expected;
  if (verifies && !has_failed && step.reference >= 0) {
    VTA_ASSIGN_OR_RETURN(expected, referenceOf(step));
    status = verifyStep(step, expected);
    ++result.verified_steps;
  }
  // Also what differs: that is what one looks for.
  if (!has_failed) VTA_RETURN_IF_ERROR(observeStep(action, expected));
  const bool is_suspect =
      status.code() == StatusCode::kDeviceFault || status.code() == StatusCode::kDeadlineExceeded;
  return verifies && is_suspect ? explain(action, status, has_failed) : status;
}

std::span<const std::byte> LayerRuns::bytesOf(uint32_t tensor) const {
  const auto size = static_cast<size_t>(info_.tensors[tensor].size_bytes);  // it lies in memory
  return {machines_.memory().hostPointer(tensor), size};
}

/// What its function on the CPU computes of the operands of `step`, by its results.
Result<std::vector<AlignedBytes>> LayerRuns::referenceOf(const StepInfo& step) const {
  const std::string layer = fmt::format("layer '{}'", info_.layers[step.layer].name);
  std::vector<void*> arguments;
  for (const uint32_t argument : step.arguments) {
    arguments.push_back(machines_.memory().hostPointer(argument));
  }
  std::vector<AlignedBytes> expected;
  for (size_t i = arguments.size() - step.num_results; i < arguments.size(); ++i) {
    const uint64_t size_bytes = info_.tensors[step.arguments[i]].size_bytes;
    expected.emplace_back(size_bytes);
    if (expected.back().data() == nullptr) {
      return Status{
          StatusCode::kResourceExhausted,
          fmt::format("{}: there is not enough memory to verify: {} bytes", layer, size_bytes)};
    }
    arguments[i] = expected.back().data();
  }
  VTA_RETURN_IF_ERROR(
      share_.threads
          ->call(module_.function(static_cast<uint32_t>(step.reference)), arguments.data())
          .withContext(layer));
  return expected;
}

Status LayerRuns::verifyStep(const StepInfo& step, std::span<const AlignedBytes> expected) const {
  const size_t first_result = step.arguments.size() - step.num_results;
  for (size_t i = 0; i < expected.size(); ++i) {
    const uint32_t tensor = step.arguments[first_result + i];
    const std::span<const std::byte> actual = bytesOf(tensor);
    VTA_RETURN_IF_ERROR(compareWithReference(info_.tensors[tensor], info_.executorOf(step).name,
                                             actual, {expected[i].data(), actual.size()},
                                             machines_.executor(step.executor).floatTolerance())
                            .withContext(fmt::format("layer '{}'", info_.layers[step.layer].name)));
  }
  return {};
}

/// `expected`: empty, or a reference's results.
Status LayerRuns::observeStep(const Action& action, std::span<const AlignedBytes> expected) const {
  if (!options_.observe) return {};
  const StepInfo& step = info_.steps[action.info.first_step];
  const size_t first_result = step.arguments.size() - step.num_results;
  for (size_t i = 0; i < step.num_results; ++i) {
    StepResult seen;
    seen.step = action.info.first_step;
    seen.tensor = step.arguments[first_result + i];
    seen.bytes = bytesOf(seen.tensor);
    if (i < expected.size()) seen.expected = {expected[i].data(), seen.bytes.size()};
    VTA_RETURN_IF_ERROR(options_.observe(seen));
  }
  return {};
}

/// Adds to `problem` what the machine has to say.
Status LayerRuns::explain(const Action& action, const Status& problem, bool has_failed) {
  const uint32_t executor = action.info.executor;
  const std::string explanation =
      machines_.executor(executor).explain(action.info, machines_.placesOf(executor), has_failed);
  if (explanation.empty()) return problem;
  return {problem.code(), problem.message() + "\n" + explanation};
}

std::vector<uint64_t> LayerRuns::sharesOf(const StepProfile& launch) const {
  const auto steps = std::span(info_.steps).subspan(launch.first_step, launch.step_count);
  if (launch.trace && launch.program != nullptr) {
    std::vector<std::string_view> names;
    for (const StepInfo& step : steps) names.emplace_back(info_.layers[step.layer].name);
    return recordedShares(*launch.trace, stepsOfInstructions(*launch.program, names), names.size());
  }
  std::vector<uint64_t> alone;
  for (size_t i = 0; i < steps.size(); ++i) {
    alone.push_back(layers_[launch.first_step + i].alone.counters.cycles);
  }
  return proportionalShares(launch.counters.cycles, alone);
}

void LayerRuns::findShares(const RunResult& result) {
  shares_.assign(steps_.size(), 0);
  for (const StepProfile& launch : result.profile) {
    if (!launch.is_launch) continue;
    const bool is_known = launch.step_count == 1 || launch.trace;
    if (!is_known && launch.counters.cycles > 0) are_estimated_ = true;
    std::ranges::copy(sharesOf(launch), shares_.begin() + launch.first_step);
  }
}

void LayerRuns::addTo(RunResult& result) {
  if (shares_.empty()) findShares(result);
  result.layers = layers_;
  for (size_t i = 0; i < shares_.size(); ++i) result.layers[i].cycles_in_run = shares_[i];
  result.shares_are_estimated = are_estimated_;
}

Status compareOutputs(const TensorMap& of_layers, const TensorMap& of_run) {
  for (const auto& [name, tensor] : of_layers) {
    if (of_run.at(name).data == tensor.data) continue;
    return {StatusCode::kDeviceFault,
            fmt::format("output '{}' of the run differs from what its layers gave one by one: a "
                        "launch of several layers computes something else",
                        name)};
  }
  return {};
}

}  // namespace vta::driver
