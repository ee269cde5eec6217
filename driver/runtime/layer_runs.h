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
#include "driver/runtime/session.h"
#include "driver/runtime/session_memory.h"

namespace vta::driver {

/// What a session does, one after the other.
struct Action {
  ActionInfo info;
  std::unique_ptr<PreparedAction> prepared;
};

/// One after the other on the session's memory, before the run of all. Everything that it is given
/// outlives it.
class LayerRuns {
 public:
  LayerRuns(const LoadedModule& module, SessionMemory& memory, const SessionOptions& options,
            SessionShare& share, std::span<Device* const> devices)
      : module_(module),
        info_(module.info()),
        memory_(memory),
        options_(options),
        share_(share),
        devices_(devices) {}

  /// Errors: those of Executor::prepare.
  Status prepare(std::span<const std::unique_ptr<Executor>> executors);
  std::span<const Action> steps() const { return steps_; }

  /// Runs all steps on `inputs`, the first time with per_layer and without an accelerator after
  /// runs whose times do not count, calls `ended` after each, and leaves state from run to run as
  /// it was. With verify, compares results with references, counts that in `result`, and leaves
  /// there the outputs; without it, only the first call does something. Errors: those of the steps;
  /// differences.
  Status run(const TensorMap& inputs, RunResult& result,
             const std::function<void(size_t step)>& ended);

  /// Adds the layers to `result`, which has the profile of a run. Shares are those of the first
  /// one: they do not depend on values.
  void addTo(RunResult& result);
  bool knowsShares() const { return !shares_.empty(); }

 private:
  bool isOnHostAlone() const;
  Status warmUp(const TensorMap& inputs);
  Status runStep(const Action& action, RunResult& result, StepProfile& profile);
  Status verifyStep(const StepInfo& step);
  Status explain(const Action& action, const Status& problem, bool has_failed);
  void findShares(const RunResult& result);
  std::vector<uint64_t> sharesOf(const StepProfile& launch) const;

  const LoadedModule& module_;
  const ModuleInfo& info_;
  SessionMemory& memory_;
  const SessionOptions& options_;
  SessionShare& share_;
  std::span<Device* const> devices_;
  std::vector<Action> steps_;
  std::vector<LayerProfile> layers_;
  std::vector<uint64_t> shares_;  // by step; empty before the first run
  bool are_estimated_ = false;
};

/// The run has to give what its layers gave one by one. Errors: the first output that differs.
Status compareOutputs(const TensorMap& of_layers, const TensorMap& of_run);

}  // namespace vta::driver
