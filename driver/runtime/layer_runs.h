// LayerRuns: each step of a module by itself, for what it takes and for verification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "base/tensor.h"
#include "driver/runtime/executor.h"
#include "driver/runtime/machines.h"
#include "driver/runtime/session.h"
#include "driver/runtime/session_memory.h"

namespace vta::driver {

/// One after the other on the session's memory, before the run of all. Everything that it is given
/// outlives it.
class LayerRuns {
 public:
  LayerRuns(const LoadedModule& module, Machines& machines, const SessionOptions& options,
            SessionShare& share)
      : module_(module),
        info_(module.info()),
        machines_(machines),
        options_(options),
        share_(share) {}

  /// What to copy for the steps. Errors: those of Machines::plan.
  Status plan();
  const CopyPlan& copies() const { return plan_; }

  /// When the machines have memory. `state` says where it is between runs. Errors: those of
  /// Executor::prepare.
  Status prepare(std::vector<StatePlace> state);
  std::span<const Action> steps() const { return steps_; }

  /// Runs all steps on `inputs`, the first time with per_layer and without an accelerator after
  /// runs whose times do not count, calls `ended` after each, and leaves state from run to run as
  /// it was. With observe, shows the results of each. With verify, compares results with
  /// references, counts that in `result`, and leaves there the outputs; without both, only the
  /// first call does something. Errors: those of the steps; differences.
  Status run(const TensorMap& inputs, RunResult& result,
             const std::function<void(size_t step)>& ended);

  /// Adds the layers to `result`, which has the profile of a run. Shares are those of the first
  /// one: they do not depend on values.
  void addTo(RunResult& result);
  bool knowsShares() const { return !shares_.empty(); }

 private:
  bool isOnHostAlone() const;
  Status warmUp(const TensorMap& inputs);
  bool runsEachTime() const { return options_.verify || options_.observe; }
  Status runStep(const Action& action, RunResult& result, StepProfile& profile);
  Result<std::vector<AlignedBytes>> referenceOf(const StepInfo& step) const;
  Status verifyStep(const StepInfo& step, std::span<const AlignedBytes> expected) const;
  Status observeStep(const Action& action, std::span<const AlignedBytes> expected) const;
  std::span<const std::byte> bytesOf(uint32_t tensor) const;
  Status explain(const Action& action, const Status& problem, bool has_failed);
  void findShares(const RunResult& result);
  std::vector<uint64_t> sharesOf(const StepProfile& launch) const;

  const LoadedModule& module_;
  const ModuleInfo& info_;
  Machines& machines_;
  const SessionOptions& options_;
  SessionShare& share_;
  std::vector<ActionInfo> infos_;
  CopyPlan plan_;
  std::vector<StatePlace> state_;
  std::vector<Action> steps_;
  std::vector<LayerProfile> layers_;
  std::vector<uint64_t> shares_;  // by step; empty before the first run
  bool are_estimated_ = false;
};

/// The run has to give what its layers gave one by one. Errors: the first output that differs.
Status compareOutputs(const TensorMap& of_layers, const TensorMap& of_run);

}  // namespace vta::driver
