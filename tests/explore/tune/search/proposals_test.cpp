#include "explore/tune/search/proposals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "explore/tune/search/registry.h"
#include "explore/tune/space/vta_space.h"
#include "tests/explore/tune/tasks.h"

namespace vta::tune {
namespace {

using testing::smallTask;

class Proposals : public ::testing::Test {
 protected:
  Result<std::vector<double>> scoresOf(std::span<const Candidate> candidates) const {
    std::vector<double> scores;
    for (const Candidate i : candidates) scores.push_back(std::log(space_.estimate(i)));
    return scores;
  }

  VtaSpace space_ = *VtaSpace::create(smallTask());
  Random random_{5};
  Scorer scorer_ = [this](std::span<const Candidate> candidates) { return scoresOf(candidates); };
};

TEST_F(Proposals, ChildrenTakeEachDecisionFromAParent) {
  const auto mother = static_cast<Candidate>(space_.size() / 3);
  const auto father = static_cast<Candidate>(space_.size() / 2);
  int children = 0;
  for (int i = 0; i < 50; ++i) {
    const std::optional<Candidate> child = cross(space_, mother, father, random_);
    if (!child) continue;
    ++children;
    for (size_t f = 0; f < space_.fields(mother).size(); ++f) {
      const int64_t value = space_.fields(*child)[f];
      EXPECT_TRUE(value == space_.fields(mother)[f] || value == space_.fields(father)[f]);
    }
  }
  EXPECT_GT(children, 0);
}

TEST_F(Proposals, ChangeOneDecision) {
  int changed = 0;
  for (Candidate i = 0; i < space_.size(); i += 9) {
    const std::optional<Candidate> other = changeOne(space_, i, random_);
    if (!other) continue;
    ++changed;
    EXPECT_EQ(std::ranges::count(space_.neighbours(i), *other), 1);
  }
  EXPECT_GT(changed, 0);
}

TEST_F(Proposals, WalkersGetFromTheSlowestToTheFast) {
  const std::vector<Candidate> starts(8, space_.byEstimate().back());
  const auto visited = anneal(space_, starts, scorer_, {.steps = 40}, random_);
  ASSERT_TRUE(visited.ok()) << visited.status().message();
  EXPECT_TRUE(std::ranges::is_sorted(*visited));
  EXPECT_EQ(std::ranges::adjacent_find(*visited), visited->end()) << "one twice";
  const auto of = [this](Candidate i) { return space_.estimate(i); };
  const double best = of(*std::ranges::min_element(*visited, {}, of));
  EXPECT_LE(best, of(space_.byEstimate()[space_.size() / 20]));
}

TEST_F(Proposals, WalkersAreDeterministic) {
  const std::vector<Candidate> starts = {0, 1, 2};
  Random again = random_;
  EXPECT_EQ(*anneal(space_, starts, scorer_, {}, random_),
            *anneal(space_, starts, scorer_, {}, again));
}

TEST_F(Proposals, WalkersPassErrorsOfTheScorerOn) {
  const Scorer failing = [](std::span<const Candidate>) -> Result<std::vector<double>> {
    return internalError("no model");
  };
  const std::vector<Candidate> starts = {0};
  EXPECT_EQ(anneal(space_, starts, failing, {}, random_).status().message(), "no model");
}

/// The trials that a search of a space needs until it has the analytic model's best, which its
/// measurements prove right.
size_t trialsToBest(const VtaSpace& space, Searcher& searcher) {
  for (size_t trials = 0;;) {
    const auto batch = searcher.propose(searcher.batchSize());
    if (!batch.ok() || batch->empty()) return space.size() + 1;
    std::vector<Trial> results;
    for (const Candidate i : *batch) {
      ++trials;
      if (i == space.byEstimate().front()) return trials;
      results.push_back({i, static_cast<uint64_t>(space.estimate(i))});
    }
    if (!searcher.tell(results).ok()) return space.size() + 1;
  }
}

// A space of which only a part is predicted before each batch.
TEST_F(Proposals, LearnedSearcherFindsTheBestOfALargeSpace) {
  const SearcherKind* learned = *findSearcher("learned");
  EXPECT_LE(trialsToBest(space_, *learned->make({.space = &space_, .most_predicted = 1})), 32u);
}

TEST_F(Proposals, LearnedSearcherProposesAllOfALargeSpaceOnce) {
  const auto searcher = (*findSearcher("learned"))->make({.space = &space_, .most_predicted = 1});
  std::vector<bool> proposed(space_.size(), false);
  for (;;) {
    const auto batch = searcher->propose(64);
    ASSERT_TRUE(batch.ok()) << batch.status().message();
    if (batch->empty()) break;
    std::vector<Trial> failed;  // so that no floor rules any out
    for (const Candidate i : *batch) {
      ASSERT_FALSE(proposed[i]) << i;
      proposed[i] = true;
      failed.push_back({i, std::nullopt});
    }
    ASSERT_TRUE(searcher->tell(failed).ok());
  }
  EXPECT_EQ(std::ranges::count(proposed, false), 0);
}

}  // namespace
}  // namespace vta::tune
