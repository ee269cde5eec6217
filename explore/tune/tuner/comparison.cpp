#include "explore/tune/tuner/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/clock.h"
#include "explore/tune/tuner/trial_keeper.h"

namespace vta::tune {
namespace {

/// Results of all searches of one task.
class SharedTrials {
 public:
  SharedTrials(TargetTask& task, Database* database, double wait_seconds)
      : task_(task), keeper_(database, wait_seconds) {}

  struct Known {
    Measurement measurement;
    double seconds = 0;  // that the trial took
  };

  /// Measures those of `batch` that nobody measured.
  Status measure(std::span<const Candidate> batch, std::string_view searcher, uint64_t seed) {
    std::vector<Candidate> fresh;
    for (const Candidate i : batch) {
      if (!known_.contains(i)) fresh.push_back(i);
    }
    if (fresh.empty()) return {};
    const Clock::time_point start = Clock::now();
    const std::vector<Measurement> measured = task_.measure(fresh, kAnyCycles);
    const double seconds = secondsSince(start) / static_cast<double>(fresh.size());
    std::vector<TrialRecord> records;
    for (size_t i = 0; i < fresh.size(); ++i) {
      if (measured[i].outcome == Outcome::kNotMeasured) continue;
      known_[fresh[i]] = {measured[i], seconds};
      records.push_back({.schedule = task_.schedule(fresh[i]),
                         .outcome = measured[i].outcome,
                         .cycles = measured[i].cycles,
                         .seconds = seconds,
                         .searcher = std::string(searcher),
                         .seed = seed,
                         .attempts = measured[i].attempts,
                         .is_steady = measured[i].is_steady});
    }
    VTA_RETURN_IF_ERROR(keeper_.add(task_.stored(), task_.source(), records));
    return task_.health();
  }

  Status flush() { return keeper_.flush(); }

  const Known* find(Candidate i) const {
    const auto found = known_.find(i);
    return found == known_.end() ? nullptr : &found->second;
  }
  std::optional<uint64_t> cycles(Candidate i) const {
    const Known* known = find(i);
    const bool is_there = known != nullptr && known->measurement.outcome == Outcome::kCycles;
    return is_there ? std::optional(known->measurement.cycles) : std::nullopt;
  }
  const std::map<Candidate, Known>& all() const { return known_; }

 private:
  TargetTask& task_;
  TrialKeeper keeper_;
  std::map<Candidate, Known> known_;
};

void tellProgress(const ComparisonOptions& options, size_t searches_before, size_t trials,
                  const Convergence& search) {
  if (!options.progress) return;
  const double share = static_cast<double>(trials) / static_cast<double>(options.trials);
  const double all =
      static_cast<double>(options.searchers.size()) * static_cast<double>(options.seeds);
  options.progress((static_cast<double>(searches_before) + share) / all,
                   fmt::format("{}, seed {}", search.searcher, search.seed));
}

/// `before`: searches of the task that are done.
Result<Convergence> search(TargetTask& task, const SearcherKind& kind, uint64_t seed, size_t before,
                           const ComparisonOptions& options, SharedTrials& shared) {
  const auto searcher = kind.make({.space = &task.space(), .seed = seed, .prior = options.prior});
  Convergence result{std::string(kind.name), seed, {}, {}};
  uint64_t best = kAnyCycles;
  double seconds = 0;
  while (std::ssize(result.best) < options.trials) {
    if (options.stop != nullptr && options.stop->load()) break;
    tellProgress(options, before, result.best.size(), result);
    const auto wanted = static_cast<size_t>(options.trials - std::ssize(result.best));
    const Clock::time_point start = Clock::now();
    VTA_ASSIGN_OR_RETURN(const std::vector<Candidate> batch,
                         searcher->propose(std::min(wanted, searcher->batchSize())));
    seconds += secondsSince(start);
    if (batch.empty()) break;
    VTA_RETURN_IF_ERROR(shared.measure(batch, kind.name, seed));
    std::vector<Trial> trials;
    for (const Candidate i : batch) {
      const SharedTrials::Known* known = shared.find(i);
      if (known == nullptr) continue;  // the search was stopped
      const std::optional<uint64_t> cycles = shared.cycles(i);
      seconds += known->seconds;
      best = std::min(best, cycles.value_or(kAnyCycles));
      if (best != kAnyCycles) {
        result.best.push_back(best);
        result.seconds.push_back(seconds);
      }
      trials.push_back({i, cycles});
    }
    const Clock::time_point learning = Clock::now();
    VTA_RETURN_IF_ERROR(searcher->tell(trials));
    seconds += secondsSince(learning);
    if (trials.empty()) break;
  }
  return result;
}

/// Every second trial, by a model that learned from the others.
Result<std::vector<Prediction>> predictHalf(const std::vector<Sample>& samples) {
  std::vector<Sample> learned;
  std::vector<Features> rows;
  std::vector<double> estimates;
  std::vector<Prediction> predictions;
  for (size_t i = 0; i < samples.size(); ++i) {
    if (i % 2 == 0) {
      learned.push_back(samples[i]);
      continue;
    }
    rows.push_back(samples[i].features);
    estimates.push_back(samples[i].estimate);
    predictions.push_back({0, samples[i].cycles});
  }
  if (learned.size() < 4 || rows.empty()) return std::vector<Prediction>();
  CostModel model({});
  VTA_RETURN_IF_ERROR(model.fit(learned));
  VTA_ASSIGN_OR_RETURN(const std::vector<double> logarithms, model.predict(rows, estimates));
  for (size_t i = 0; i < predictions.size(); ++i) {
    predictions[i].predicted = std::exp(logarithms[i]);
  }
  return predictions;
}

}  // namespace

Result<TaskPicture> compareSearchers(TargetTask& task, size_t layers, Database* database,
                                     const ComparisonOptions& options) {
  VTA_RETURN_IF_ERROR(task.begin());
  const StoredTask stored = task.stored();
  TaskPicture picture;
  picture.name = stored.name;
  picture.machine = stored.hw + ", " + stored.memory;
  picture.layers = layers;
  SharedTrials shared(task, database, options.database_wait_seconds);
  VTA_ASSIGN_OR_RETURN(const Candidate own, task.compilersChoice());
  VTA_RETURN_IF_ERROR(shared.measure(std::span(&own, 1), "compiler", 0));
  picture.default_cycles = shared.cycles(own).value_or(0);
  for (const SearcherKind* kind : options.searchers) {
    for (int64_t seed = 1; seed <= options.seeds; ++seed) {
      VTA_ASSIGN_OR_RETURN(Convergence found, search(task, *kind, static_cast<uint64_t>(seed),
                                                     picture.searches.size(), options, shared));
      picture.searches.push_back(std::move(found));
    }
  }
  VTA_RETURN_IF_ERROR(shared.flush());
  const Space& space = task.space();
  picture.best_cycles = kAnyCycles;
  picture.floor_cycles = kAnyCycles;
  for (Candidate i = 0; i < space.size(); ++i) {
    const std::optional<uint64_t> cycles = shared.cycles(i);
    const uint64_t floor = task.isExact() ? cycles.value_or(space.floorCycles(i)) : 0;
    picture.floor_cycles = std::min(picture.floor_cycles, floor);
    if (!cycles) continue;
    picture.best_cycles = std::min(picture.best_cycles, *cycles);
    picture.samples.push_back({space.features(i), space.estimate(i), *cycles, 0});
  }
  VTA_ASSIGN_OR_RETURN(picture.predictions, predictHalf(picture.samples));
  return picture;
}

}  // namespace vta::tune
