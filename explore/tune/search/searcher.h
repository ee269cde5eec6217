// Searcher: which schedules of a space to measure next. All searchers are behind this interface and
// are made by name (registry.h).
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "base/status.h"
#include "explore/tune/measure/measurement.h"
#include "explore/tune/model/cost_model.h"
#include "explore/tune/space/space.h"

namespace vta::tune {

/// A measured candidate. Without cycles: it failed, or took longer than limitCycles().
struct Trial {
  Candidate candidate = 0;
  std::optional<uint64_t> cycles;
};

/// What searchers are made with. What it points to must outlive the searcher.
struct SearchSetup {
  const Space* space = nullptr;
  uint64_t seed = 1;
  std::span<const Sample> past = {};  // of other tasks, memories and accelerators
  const CostModel* prior = nullptr;  // learned before, from any tasks; only of Objective::kResidual
  // A space with more schedules is not predicted as a whole before each batch, but searched.
  size_t most_predicted = 8192;
  double tolerance = 0;  // of a proof: a schedule faster by less is of no interest
};

class Searcher {
 public:
  virtual ~Searcher() = default;

  /// How many candidates one call of propose() should ask for.
  virtual size_t batchSize() const { return 16; }

  /// At most `count` candidates, none of which was proposed before. None: the search is over.
  /// Errors: those of the cost model.
  virtual Result<std::vector<Candidate>> propose(size_t count) = 0;

  /// The results of what was proposed.
  virtual Status tell(std::span<const Trial> trials) = 0;

  /// A measurement may stop here: the searcher learns nothing from longer ones.
  virtual uint64_t limitCycles() const { return kAnyCycles; }
};

/// What all searchers remember.
class History {
 public:
  explicit History(const Space& space)
      : space_(space), proposed_(space.size(), false), left_(space.size()) {}

  bool isProposed(Candidate i) const { return proposed_[i]; }
  void propose(Candidate i) {
    if (!proposed_[i]) --left_;
    proposed_[i] = true;
  }
  /// How many candidates were not proposed, and not measured before the search either.
  size_t left() const { return left_; }
  void add(std::span<const Trial> trials);

  const std::vector<Trial>& trials() const { return trials_; }
  uint64_t bestCycles() const { return best_cycles_; }  // kAnyCycles before the first
  std::optional<Candidate> best() const { return best_; }
  /// Whether no schedule like `i` can be faster than the best by more than `tolerance`, by its
  /// proven floor.
  bool isHopeless(Candidate i, double tolerance) const;

 private:
  const Space& space_;
  std::vector<bool> proposed_;
  size_t left_;
  std::vector<Trial> trials_;
  uint64_t best_cycles_ = kAnyCycles;
  std::optional<Candidate> best_;
};

}  // namespace vta::tune
