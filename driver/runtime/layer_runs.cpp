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

Status LayerRuns::prepare(std::span<const std::unique_ptr<Executor>> executors) {
  for (uint32_t i = 0; i < info_.steps.size(); ++i) {
    ActionInfo info{info_.steps[i].executor, i, 1, info_.steps[i].entry, false, {}};
    VTA_ASSIGN_OR_RETURN(auto prepared, executors[info.executor]->prepare(info));
    steps_.push_back({std::move(info), std::move(prepared)});
  }
  return {};
}

Status LayerRuns::run(const TensorMap& inputs, RunResult& result,
                      const std::function<void(size_t step)>& ended) {
  if (!options_.verify && !layers_.empty()) return {};
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> state, memory_.saveState());
  const bool warms_up = options_.per_layer && layers_.empty() && isOnHostAlone();
  for (int pass = 0; warms_up && pass < kWarmUps; ++pass) {
    VTA_RETURN_IF_ERROR(warmUp(inputs));
    VTA_RETURN_IF_ERROR(memory_.restoreState(state));
  }
  memory_.copyInputs(inputs);
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
    VTA_ASSIGN_OR_RETURN(result.outputs, memory_.copyOutputs());
  }
  return memory_.restoreState(state);
}

bool LayerRuns::isOnHostAlone() const {
  return std::ranges::all_of(info_.steps, [&](const auto& step) { return info_.isOnCpu(step); });
}

Status LayerRuns::warmUp(const TensorMap& inputs) {
  memory_.copyInputs(inputs);
  for (const Action& step : steps_) {
    StepProfile unwanted;
    VTA_RETURN_IF_ERROR(step.prepared->run(unwanted));
  }
  return {};
}

Status LayerRuns::runStep(const Action& action, RunResult& result, StepProfile& profile) {
  const StepInfo& step = info_.steps[action.info.first_step];
  const bool verifies = options_.verify && !info_.isOnCpu(step);
  Status status = action.prepared->run(profile);
  if (!verifies) return status;
  const bool has_failed = !status.ok();
  if (!has_failed && step.reference >= 0) {
    status = verifyStep(step);
    ++result.verified_steps;
  }
  const bool is_suspect =
      status.code() == StatusCode::kDeviceFault || status.code() == StatusCode::kDeadlineExceeded;
  return is_suspect ? explain(action, status, has_failed) : status;
}

Status LayerRuns::verifyStep(const StepInfo& step) {
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
    arguments.push_back(memory_.hostPointer(argument));
  }
  arguments.back() = expected.data();
  VTA_RETURN_IF_ERROR(
      share_.threads
          ->call(module_.function(static_cast<uint32_t>(step.reference)), arguments.data())
          .withContext(layer));
  const auto size = static_cast<size_t>(size_bytes);  // it lies in memory
  return compareWithReference(info_.tensors[tensor], {memory_.hostPointer(tensor), size},
                              {expected.data(), size})
      .withContext(layer);
}

/// Adds to `problem` what options_.explain has to say.
Status LayerRuns::explain(const Action& action, const Status& problem, bool has_failed) {
  if (!options_.explain) return problem;
  SuspectLayer layer = {module_, action.info, *devices_[action.info.executor], {}, has_failed};
  const StepInfo& step = info_.steps[action.info.first_step];
  for (const int32_t buffer : info_.programs[action.info.entry].buffers) {
    const bool is_result = buffer >= 0 && static_cast<uint32_t>(buffer) == step.arguments.back();
    layer.contents.emplace_back();
    if (buffer < 0 || is_result) continue;
    layer.contents.back() = {
        memory_.hostPointer(static_cast<uint32_t>(buffer)),
        static_cast<size_t>(info_.tensors[static_cast<size_t>(buffer)].size_bytes)};
  }
  return {problem.code(), problem.message() + "\n" + options_.explain(layer)};
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
