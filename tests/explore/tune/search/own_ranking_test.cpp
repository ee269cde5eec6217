#include "explore/tune/search/own_ranking.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "explore/tune/search/registry.h"
#include "explore/tune/space/vta_space.h"
#include "tests/explore/tune/tasks.h"

namespace vta::tune {
namespace {

// The tile decides, by differences so small that counts of work hide them.
uint64_t cyclesOf(const VtaSpace& space, Candidate i) {
  const kernel::Schedule& s = space.schedule(i);
  const auto height = static_cast<double>(s.tile_height);
  const auto width = static_cast<double>(s.tile_width);
  const double off = std::abs(std::log2(height / 4)) + std::abs(std::log2(width / 2));
  return 1'000'000 + static_cast<uint64_t>(400 * off) + 37 * s.tile_out_blocks +
         11 * s.tile_in_blocks;
}

TEST(OwnRanking, OrdersWhatItHasNotSeen) {
  const VtaSpace space = *VtaSpace::create(testing::smallTask());
  OwnRanking ranking(space, 1);
  std::vector<Candidate> others;
  for (Candidate i = 0; i < space.size(); ++i) {
    if (i % 3 == 0) {
      ranking.add(i, cyclesOf(space, i));
    } else {
      others.push_back(i);
    }
  }
  ASSERT_TRUE(ranking.fit().ok());
  ASSERT_TRUE(ranking.isFitted());
  const auto sorted = ranking.sort(others);
  ASSERT_TRUE(sorted.ok()) << sorted.status().message();
  ASSERT_EQ(sorted->size(), others.size());
  size_t right = 0, pairs = 0;
  for (size_t a = 0; a < sorted->size(); ++a) {
    for (size_t b = a + 1; b < sorted->size(); ++b, ++pairs) {
      right += cyclesOf(space, (*sorted)[a]) <= cyclesOf(space, (*sorted)[b]) ? 1 : 0;
    }
  }
  EXPECT_GT(right, pairs * 9 / 10);
}

TEST(OwnRanking, WaitsForSomeTrials) {
  const VtaSpace space = *VtaSpace::create(testing::smallTask());
  OwnRanking ranking(space, 1);
  for (Candidate i = 0; i < 8; ++i) ranking.add(i, cyclesOf(space, i));
  ASSERT_TRUE(ranking.fit().ok());
  EXPECT_FALSE(ranking.isFitted());
}

// A model that learned elsewhere sees differences that are not there, and not those that are.
TEST(LearnedSearcher, ChoosesByThisTasksTrialsWhatThePriorHides) {
  const VtaSpace space = *VtaSpace::create(testing::smallTask());
  std::vector<Sample> samples;
  std::vector<uint64_t> cycles;
  std::vector<Trial> trials;
  for (Candidate i = 0; i < space.size(); ++i) {
    const uint64_t noise = (i * 2654435761u >> 8) % 100'000;
    samples.push_back({space.features(i), space.estimate(i), 1'000'000 + noise, 0});
    cycles.push_back(cyclesOf(space, i));
    if (i % 16 == 0) trials.push_back({i, cycles.back()});
  }
  CostModel prior({.rounds = 200, .depth = 10});
  ASSERT_TRUE(prior.fit(samples).ok());
  const auto searcher = (*findSearcher("learned"))->make({.space = &space, .prior = &prior});
  ASSERT_TRUE(searcher->tell(trials).ok());
  const auto batch = searcher->propose(16);
  ASSERT_TRUE(batch.ok()) << batch.status().message();
  std::ranges::sort(cycles);
  const uint64_t fast = cycles[cycles.size() / 20];
  const auto count =
      std::ranges::count_if(*batch, [&](Candidate i) { return cyclesOf(space, i) <= fast; });
  EXPECT_GE(count, 11);
}

}  // namespace
}  // namespace vta::tune
