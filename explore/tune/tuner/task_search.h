// TaskSearch: the search of one task, batch by batch.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "explore/tune/search/searcher.h"
#include "explore/tune/space/space.h"
#include "explore/tune/target/target_task.h"
#include "explore/tune/tuner/trial_keeper.h"
#include "explore/tune/tuner/tuner.h"

namespace vta::tune {

class TaskSearch {
 public:
  /// `task` has begun. All of the arguments must outlive the search; `database`, to which `keeper`
  /// adds the trials, may be null.
  TaskSearch(TargetTask& task, Database* database, TrialKeeper& keeper, const TuneOptions& options,
             std::span<const Sample> past);

  /// Takes over the trials of earlier runs, so that none is measured again. The first trial of a
  /// task is the schedule that the compiler chooses by itself: what is found is never slower.
  Status resume();
  bool isDone() const { return is_done_; }
  /// Proposes, measures, stores and tells one batch.
  Status step();
  Result<TunedTask> finish();

  int64_t trials() const { return static_cast<int64_t>(records_.size()); }
  uint64_t bestCycles() const { return best_ ? best_->cycles : 0; }
  /// How far it is, from 0 to 1: the trials, the patience or the space that are used up.
  double share() const;

 private:
  bool isOver() const;
  Status readStored();
  bool isPossible(Candidate candidate, const TrialRecord& record) const;
  /// The candidates of a batch that were measured: fewer than asked for when the search is stopped.
  struct Measured {
    std::vector<Candidate> candidates;
    std::vector<TrialRecord> records;
  };
  Result<Measured> measure(std::span<const Candidate> batch, uint64_t limit);
  Status tell(std::span<const Candidate> batch, std::span<const TrialRecord> records);
  void remember(Candidate candidate, const TrialRecord& record);
  uint64_t provenFloor() const;
  Status measureOwnChoice();

  TargetTask& task_;
  const Space& space_;
  Database* database_;
  TrialKeeper& keeper_;
  const TuneOptions& options_;
  std::unique_ptr<Searcher> searcher_;
  Clock::time_point start_ = Clock::now();

  std::vector<TrialRecord> records_;
  std::vector<uint64_t> least_cycles_;  // of each candidate: what is proven or measured
  std::vector<bool> is_measured_;
  std::optional<TrialRecord> best_;
  uint64_t default_cycles_ = 0;
  std::string default_schedule_;
  uint64_t known_floor_ = 0;  // proven before
  int64_t since_best_ = 0;    // trials
  int64_t resumed_ = 0;
  int64_t failed_ = 0;
  int64_t unsteady_ = 0;
  int64_t impossible_ = 0;  // of the database
  bool is_done_ = false;
  bool was_stopped_ = false;
};

}  // namespace vta::tune
