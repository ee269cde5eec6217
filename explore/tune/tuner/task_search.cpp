#include "explore/tune/tuner/task_search.h"

#include <algorithm>
#include <utility>

namespace vta::tune {

TaskSearch::TaskSearch(TargetTask& task, Database* database, TrialKeeper& keeper,
                       const TuneOptions& options, std::span<const Sample> past)
    : task_(task),
      space_(task.space()),
      database_(database),
      keeper_(keeper),
      options_(options),
      searcher_(options.searcher->make({.space = &space_,
                                        .seed = options.seed,
                                        .past = past,
                                        .prior = options.prior,
                                        .tolerance = options.tolerance})),
      is_measured_(space_.size(), false) {
  for (Candidate i = 0; i < space_.size(); ++i) least_cycles_.push_back(space_.floorCycles(i));
}

Status TaskSearch::resume() {
  VTA_RETURN_IF_ERROR(readStored());
  return measureOwnChoice();
}

Status TaskSearch::measureOwnChoice() {
  VTA_ASSIGN_OR_RETURN(const Candidate own, task_.compilersChoice());
  default_schedule_ = task_.schedule(own);
  if (is_measured_[own]) {
    default_cycles_ = least_cycles_[own];
    return {};
  }
  const Candidate batch[] = {own};
  VTA_ASSIGN_OR_RETURN(const Measured measured, measure(batch, kAnyCycles));
  if (measured.records.empty()) {
    is_done_ = was_stopped_ = true;
    return {};
  }
  default_cycles_ = measured.records.front().cycles;
  return tell(measured.candidates, measured.records);
}

Status TaskSearch::readStored() {
  if (database_ == nullptr) return {};
  VTA_ASSIGN_OR_RETURN(const std::vector<TrialRecord> stored,
                       database_->trials(task_.stored().key, task_.source()));
  VTA_ASSIGN_OR_RETURN(const auto proof, database_->proof(task_.stored().key, task_.source()));
  if (proof && task_.isExact()) known_floor_ = proof->floor_cycles;
  std::vector<Trial> trials;
  for (const TrialRecord& record : stored) {
    const std::optional<Candidate> candidate = task_.find(record.schedule);
    if (!candidate) continue;  // the space was another one
    if (!isPossible(*candidate, record)) {
      ++impossible_;
      continue;
    }
    remember(*candidate, record);
    if (record.number <= options_.earlier_trials) since_best_ = 0;
    const bool has_cycles = record.outcome == Outcome::kCycles;
    trials.push_back({*candidate, has_cycles ? std::optional(record.cycles) : std::nullopt});
  }
  resumed_ = std::ssize(records_);
  return searcher_->tell(trials);
}

// What measures exactly takes no fewer cycles than are proven, so somebody else wrote that row.
bool TaskSearch::isPossible(Candidate candidate, const TrialRecord& record) const {
  const bool is_exact = task_.isExact() && task_.source() == kSimulatorSource;
  return !is_exact || record.outcome != Outcome::kCycles ||
         record.cycles >= space_.floorCycles(candidate);
}

bool TaskSearch::isOver() const {
  if (trials() >= options_.trials) return true;
  return options_.patience > 0 && since_best_ >= options_.patience;
}

double TaskSearch::share() const {
  if (is_done_) return 1;
  double share = static_cast<double>(trials()) / static_cast<double>(options_.trials);
  if (options_.patience > 0) {
    const double waited = static_cast<double>(since_best_) / static_cast<double>(options_.patience);
    share = std::max(share, waited);
  }
  if (best_) {  // what is measured or cannot be faster
    const auto settled = std::ranges::count_if(
        least_cycles_, [this](uint64_t least) { return least >= best_->cycles; });
    const double space = static_cast<double>(settled) / static_cast<double>(least_cycles_.size());
    share = std::max(share, space);
  }
  return std::min(share, 1.0);
}

Status TaskSearch::step() {
  was_stopped_ = options_.stop != nullptr && options_.stop->load();
  if (was_stopped_ || isOver()) {
    is_done_ = true;
    return {};
  }
  const size_t left = static_cast<size_t>(options_.trials - trials());
  VTA_ASSIGN_OR_RETURN(const std::vector<Candidate> batch,
                       searcher_->propose(std::min(left, searcher_->batchSize())));
  if (batch.empty()) {
    is_done_ = true;
    return {};
  }
  VTA_ASSIGN_OR_RETURN(const Measured measured, measure(batch, searcher_->limitCycles()));
  return tell(measured.candidates, measured.records);
}

Result<TaskSearch::Measured> TaskSearch::measure(std::span<const Candidate> batch, uint64_t limit) {
  const std::vector<Measurement> measured = task_.measure(batch, limit);
  Measured result;
  for (size_t i = 0; i < batch.size(); ++i) {
    if (measured[i].outcome == Outcome::kNotMeasured) continue;
    result.candidates.push_back(batch[i]);
    result.records.push_back(
        {.schedule = task_.schedule(batch[i]),
         .outcome = measured[i].outcome,
         .cycles = measured[i].outcome == Outcome::kSlower ? limit : measured[i].cycles,
         .seconds = secondsSince(start_),
         .searcher = std::string(options_.searcher->name),
         .seed = options_.seed,
         .attempts = measured[i].attempts,
         .is_steady = measured[i].is_steady});
  }
  // First what is known: it was measured before anything failed.
  VTA_RETURN_IF_ERROR(keeper_.add(task_.stored(), task_.source(), result.records));
  VTA_RETURN_IF_ERROR(task_.health());
  return result;
}

Status TaskSearch::tell(std::span<const Candidate> batch, std::span<const TrialRecord> records) {
  std::vector<Trial> trials;
  for (size_t i = 0; i < batch.size(); ++i) {
    remember(batch[i], records[i]);
    const bool has_cycles = records[i].outcome == Outcome::kCycles;
    trials.push_back({batch[i], has_cycles ? std::optional(records[i].cycles) : std::nullopt});
  }
  return searcher_->tell(trials);
}

void TaskSearch::remember(Candidate candidate, const TrialRecord& record) {
  records_.push_back(record);
  ++since_best_;
  if (!record.is_steady) ++unsteady_;
  const bool has_cycles = record.outcome == Outcome::kCycles;
  if (has_cycles || record.outcome == Outcome::kSlower) {
    least_cycles_[candidate] = std::max(least_cycles_[candidate], record.cycles);
    is_measured_[candidate] = has_cycles;
  } else {
    ++failed_;
  }
  if (!has_cycles || (best_ && best_->cycles <= record.cycles)) return;
  best_ = record;
  since_best_ = 0;
}

// What is measured takes its cycles, what is not at least its floor. An earlier search may have
// known more, whose trials are not all here. A proof that a trial beats is none.
uint64_t TaskSearch::provenFloor() const {
  if (!task_.isExact()) return 0;
  const bool is_true = !best_ || known_floor_ <= best_->cycles;
  return std::max(is_true ? known_floor_ : 0, *std::ranges::min_element(least_cycles_));
}

Result<TunedTask> TaskSearch::finish() {
  TunedTask result;
  result.schedules = space_.size();
  result.rejected = space_.rejected();
  result.default_cycles = default_cycles_;
  result.default_schedule = default_schedule_;
  result.best = best_;
  result.floor_cycles = provenFloor();
  result.trials = trials();
  result.new_trials = trials() - resumed_;
  result.failed_trials = failed_;
  result.unsteady_trials = unsteady_;
  result.impossible_trials = impossible_;
  result.was_stopped = was_stopped_;
  if (result.floor_cycles > 0) {
    VTA_RETURN_IF_ERROR(keeper_.setProof(task_.stored(), task_.source(), {result.floor_cycles}));
  }
  return result;
}

}  // namespace vta::tune
