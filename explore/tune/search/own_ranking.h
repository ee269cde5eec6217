// OwnRanking: an order of one task's candidates that only the trials of this task teach.
//
// The learned searcher's other model corrects a draft, and a draft that is wrong by a part in a
// thousand hides which of the fastest schedules is the fastest. This one knows nothing but the
// schedules themselves: it needs some trials, and then it separates schedules that are nearly
// alike.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "explore/tune/search/searcher.h"

namespace vta::tune {

class OwnRanking {
 public:
  /// `space` must outlive it.
  OwnRanking(const Space& space, uint64_t seed);

  void add(Candidate candidate, uint64_t cycles);
  /// Learns from all trials so far; with few of them it waits for more. Errors: the cost model's.
  Status fit();
  bool isFitted() const { return model_.isFitted(); }
  /// `candidates`, the most promising first.
  Result<std::vector<Candidate>> sort(std::span<const Candidate> candidates);

 private:
  Status scoreNew(std::span<const Candidate> candidates);

  const Space& space_;
  CostModel model_;
  std::vector<Sample> samples_;
  std::vector<double> scores_;  // of each candidate by the model that there is; NaN: not asked yet
};

}  // namespace vta::tune
