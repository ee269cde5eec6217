#include "explore/tune/search/own_ranking.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace vta::tune {
namespace {

constexpr size_t kFewTrials = 32;
constexpr double kNotAsked = std::numeric_limits<double>::quiet_NaN();

}  // namespace

OwnRanking::OwnRanking(const Space& space, uint64_t seed)
    : space_(space),
      model_({.objective = Objective::kRank, .seed = seed}),
      scores_(space.size(), kNotAsked) {}

void OwnRanking::add(Candidate candidate, uint64_t cycles) {
  samples_.push_back({space_.scheduleFeatures(candidate), space_.estimate(candidate), cycles, 0});
}

Status OwnRanking::fit() {
  if (samples_.size() < kFewTrials) return {};
  std::ranges::fill(scores_, kNotAsked);
  return model_.fit(samples_);
}

Status OwnRanking::scoreNew(std::span<const Candidate> candidates) {
  std::vector<Candidate> fresh;
  std::vector<Features> rows;
  for (const Candidate i : candidates) {
    if (!std::isnan(scores_[i])) continue;
    fresh.push_back(i);
    rows.push_back(space_.scheduleFeatures(i));
  }
  const std::vector<double> estimates(rows.size(), 1);  // ranks do not depend on them
  VTA_ASSIGN_OR_RETURN(const std::vector<double> scores, model_.predict(rows, estimates));
  for (size_t i = 0; i < fresh.size(); ++i) scores_[fresh[i]] = scores[i];
  return {};
}

Result<std::vector<Candidate>> OwnRanking::sort(std::span<const Candidate> candidates) {
  VTA_RETURN_IF_ERROR(scoreNew(candidates));
  std::vector<Candidate> sorted(candidates.begin(), candidates.end());
  std::ranges::stable_sort(sorted, {}, [this](Candidate i) { return scores_[i]; });
  return sorted;
}

}  // namespace vta::tune
