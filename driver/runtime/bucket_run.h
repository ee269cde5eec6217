// BucketRun: a module, or one of its buckets, ready to run on the memory of a session.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "base/tensor.h"
#include "driver/runtime/background/run_progress.h"
#include "driver/runtime/background/staged_queue.h"
#include "driver/runtime/kept_text.h"
#include "driver/runtime/layer_runs.h"
#include "driver/runtime/machines.h"
#include "driver/runtime/session.h"

namespace vta::driver {

/// What it is given outlives it. One run at a time.
class BucketRun {
 public:
  /// `devices` by executor; null: none.
  static Result<std::unique_ptr<BucketRun>> create(const LoadedModule& network,
                                                   std::span<MemoryDevice* const> devices,
                                                   const SessionOptions& options,
                                                   SessionShare& share);

  /// What it needs places for, before memory is allocated.
  std::vector<const CopyPlan*> plans() const;
  Machines& machines() { return *machines_; }

  /// When the machines have memory. Errors: those of Executor::prepare; illegal programs.
  Status prepare();

  /// Whether these inputs are of this size, or words that can be filled up to it.
  bool takes(const TensorMap& inputs) const;

  /// As Session::run.
  Result<RunResult> run(const TensorMap& inputs);
  double progress() const;

  KeptText& text() { return *text_; }
  const KeptText& text() const { return *text_; }
  const std::vector<StatePlace>& state() const { return plan_.state; }

 private:
  BucketRun(const LoadedModule& network, const SessionOptions& options, SessionShare& share)
      : network_(network), info_(network.info()), options_(options), share_(share) {}

  Status startTracing();
  Status recordShares();
  void chooseActions();
  bool needsLayers() const { return options_.per_layer || options_.verify || options_.observe; }
  Status checkPrograms() const;
  std::span<const Action> singleSteps() const;
  double workOf(const ActionInfo& action) const;
  Result<RunResult> runWords(const TensorMap& inputs, int64_t words);
  std::vector<std::function<Status()>> partsOf(size_t i, StepProfile& profile);
  Status runActions(RunResult& result);
  Status waitFor(const std::vector<WaitInfo>& waits);
  Status finishQueues();
  Status addLayers(RunResult& result);

  const LoadedModule& network_;
  const ModuleInfo& info_;
  const SessionOptions& options_;
  SessionShare& share_;
  std::unique_ptr<Machines> machines_;
  std::vector<ActionInfo> infos_;
  CopyPlan plan_;
  std::unique_ptr<KeptText> text_;
  std::vector<Action> actions_;
  std::unique_ptr<LayerRuns> layers_;      // with needsLayers()
  bool records_for_shares_ = false;        // tracing is on, but nobody asked for it
  std::unique_ptr<RunProgress> progress_;  // of layers by themselves, then of the actions
  // By executor, of its actions in background; null where it has none.
  std::vector<std::unique_ptr<StagedQueue>> queues_;
};

}  // namespace vta::driver
