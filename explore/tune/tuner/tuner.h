// Tuner: searches the schedules of one task after the other, and keeps every finished trial.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "explore/tune/database/database.h"
#include "explore/tune/measure/measurement.h"
#include "explore/tune/search/registry.h"
#include "explore/tune/target/target_task.h"
#include "explore/tune/task/task.h"
#include "explore/tune/tuner/trial_keeper.h"

namespace vta::tune {

struct TuneOptions {
  const SearcherKind* searcher = nullptr;
  int64_t trials = 200;   // of each task, those of earlier runs included
  int64_t patience = 96;  // trials without a faster schedule after which a task is done; 0: all
  double tolerance = 0;   // of proofs
  const CostModel* prior = nullptr;  // where searchers that learn begin; it must outlive the tuner
  uint64_t seed = 1;
  // Trials of the database up to this number (TrialRecord) are older than the run: patience begins
  // after them.
  int64_t earlier_trials = std::numeric_limits<int64_t>::max();
  const std::atomic<bool>* stop = nullptr;  // set: end after the trials that are running
  double database_wait_seconds = kDatabaseWaitSeconds;  // as of TrialKeeper
};

/// How far a search is, for a progress line and for pictures of its convergence.
struct TuneProgress {
  size_t task = 0;
  size_t tasks = 0;
  std::string name;
  int64_t trials = 0;
  int64_t wanted_trials = 0;
  uint64_t best_cycles = 0;  // 0: none yet
  double seconds = 0;        // of this task
  double share = 0;          // of this task, about: 1 when it is done
};

/// The result of one task.
struct TunedTask {
  size_t schedules = 0;                     // of the space
  std::map<std::string, int64_t> rejected;  // schedules that do not fit, by resource
  uint64_t default_cycles = 0;              // of the compiler's own choice
  std::string default_schedule;
  std::optional<TrialRecord> best;
  uint64_t floor_cycles = 0;  // no schedule of the space takes fewer, proven
  int64_t trials = 0;         // all there are now
  int64_t new_trials = 0;
  int64_t failed_trials = 0;      // neither cycles nor slower than wanted: none, if all is well
  int64_t unsteady_trials = 0;    // measured while the processor's clock changed
  int64_t impossible_trials = 0;  // of the database, with fewer cycles than are proven: left aside
  double seconds = 0;
  bool was_stopped = false;

  /// By how much the best is at most slower than the best of the space: 0.02 for two per cent.
  double provenGap() const;
};

class Tuner {
 public:
  using Progress = std::function<void(const TuneProgress&)>;

  /// `database`, which may be null, must outlive the tuner.
  Tuner(Database* database, TuneOptions options, Progress progress = {});

  /// One result for each task, in their order; fewer when it was stopped. All are of one target.
  /// Errors: those of the database and of the cost model, a task without a legal schedule.
  Result<std::vector<TunedTask>> run(std::span<TargetTask* const> tasks);
  /// The same for kernels of the VTA.
  Result<std::vector<TunedTask>> run(std::span<const Task> tasks, Measurer& measurer);

 private:
  Result<TunedTask> tune(TargetTask& task, TuneProgress progress);
  Status readPast(const TargetTask& task);

  Database* database_;
  TuneOptions options_;
  TrialKeeper keeper_;
  Progress progress_;
  std::vector<Sample> past_;
  std::vector<TaskKey> known_;  // tasks that `past_` has samples of
};

}  // namespace vta::tune
