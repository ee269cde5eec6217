// Comparison: how fast searchers get how far, with several seeds each.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "explore/tune/tuner/tuner.h"

namespace vta::tune {

/// One search: the best after each trial.
struct Convergence {
  std::string searcher;
  uint64_t seed = 0;
  std::vector<uint64_t> best;   // after trial 1, 2, ...
  std::vector<double> seconds;  // that the search had taken by then, its own time and the trials'
};

/// A prediction of a cost model that did not see the trial.
struct Prediction {
  double predicted = 0;
  uint64_t measured = 0;
};

/// What a page shows of one task.
struct TaskPicture {
  std::string name;
  std::string machine;  // accelerator and memory, or the CPU
  size_t layers = 1;
  uint64_t default_cycles = 0;
  uint64_t best_cycles = 0;
  uint64_t floor_cycles = 0;  // 0: nothing is proven
  std::vector<Convergence> searches;
  std::vector<Prediction> predictions;
  std::vector<Sample> samples;  // of all trials
};

struct ComparisonOptions {
  std::vector<const SearcherKind*> searchers;
  int64_t trials = 100;  // of each search
  int64_t seeds = 3;
  const CostModel* prior = nullptr;  // as of TuneOptions
  const std::atomic<bool>* stop = nullptr;
  double database_wait_seconds = kDatabaseWaitSeconds;  // as of TrialKeeper
  // Hears how far the searches of the task are, from 0 to 1, and which one is running.
  std::function<void(double share, const std::string& search)> progress = {};
};

/// Runs every searcher with every seed on `task`. A schedule is measured once, by whoever wants it
/// first; the other searches take its result, and the seconds that it took, from then on. Every
/// trial goes into `database`, which may be null. Errors: those of the task and the database.
Result<TaskPicture> compareSearchers(TargetTask& task, size_t layers, Database* database,
                                     const ComparisonOptions& options);

}  // namespace vta::tune
