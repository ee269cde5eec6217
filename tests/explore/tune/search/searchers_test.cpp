#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "compiler/kernel/plan/kernel_plan.h"
#include "explore/tune/measure/simulator.h"
#include "explore/tune/search/registry.h"
#include "explore/tune/space/vta_space.h"
#include "tests/explore/tune/tasks.h"

namespace vta::tune {
namespace {

using testing::smallTask;

class Searchers : public ::testing::TestWithParam<const SearcherKind*> {
 protected:
  Searchers() : space_(*VtaSpace::create(task_)) {}

  // Cycles that no model knows, the same for a candidate each time.
  uint64_t cyclesOf(Candidate i) const {
    const double noise = 1 + 0.3 * static_cast<double>((i * 2654435761u >> 8) % 1000) / 1000;
    return static_cast<uint64_t>(
        std::max(space_.estimate(i), static_cast<double>(space_.floorCycles(i))) * noise);
  }

  uint64_t bestCycles() const {
    uint64_t best = kAnyCycles;
    for (Candidate i = 0; i < space_.size(); ++i) best = std::min(best, cyclesOf(i));
    return best;
  }

  Task task_ = smallTask();
  VtaSpace space_;
};

TEST_P(Searchers, ProposeEachCandidateOnceAndEndWithTheBest) {
  const auto searcher = GetParam()->make({.space = &space_, .seed = 7});
  std::set<Candidate> proposed;
  uint64_t best = kAnyCycles;
  for (;;) {
    const uint64_t limit = searcher->limitCycles();
    const auto batch = searcher->propose(searcher->batchSize());
    ASSERT_TRUE(batch.ok()) << batch.status().message();
    if (batch->empty()) break;
    std::vector<Trial> trials;
    for (const Candidate i : *batch) {
      ASSERT_LT(i, space_.size());
      ASSERT_TRUE(proposed.insert(i).second) << "twice: " << i;
      const uint64_t cycles = cyclesOf(i);
      if (cycles <= limit) best = std::min(best, cycles);
      trials.push_back({i, cycles <= limit ? std::optional(cycles) : std::nullopt});
    }
    ASSERT_TRUE(searcher->tell(trials).ok());
  }
  EXPECT_EQ(best, bestCycles());
}

// The compiler's choice and the trials of earlier runs were not proposed by the searcher.
TEST_P(Searchers, EndWhenTheRestWasMeasuredBefore) {
  const auto searcher = GetParam()->make({.space = &space_, .seed = 7});
  std::vector<Trial> before;
  for (Candidate i = 3; i < space_.size(); ++i) before.push_back({i, cyclesOf(i)});
  ASSERT_TRUE(searcher->tell(before).ok());
  size_t proposed = 0;
  for (;;) {
    const auto batch = searcher->propose(searcher->batchSize());
    ASSERT_TRUE(batch.ok()) << batch.status().message();
    if (batch->empty()) break;
    proposed += batch->size();
    std::vector<Trial> trials;
    for (const Candidate i : *batch) trials.push_back({i, cyclesOf(i)});
    ASSERT_TRUE(searcher->tell(trials).ok());
  }
  EXPECT_LE(proposed, 3u);
}

TEST_P(Searchers, AreDeterministic) {
  const auto first = GetParam()->make({.space = &space_, .seed = 3});
  const auto second = GetParam()->make({.space = &space_, .seed = 3});
  for (int round = 0; round < 4; ++round) {
    const auto a = first->propose(8);
    const auto b = second->propose(8);
    ASSERT_TRUE(a.ok() && b.ok());
    EXPECT_EQ(*a, *b);
    std::vector<Trial> trials;
    for (const Candidate i : *a) trials.push_back({i, cyclesOf(i)});
    ASSERT_TRUE(first->tell(trials).ok());
    ASSERT_TRUE(second->tell(trials).ok());
  }
}

TEST_P(Searchers, BearFailedTrials) {
  const auto searcher = GetParam()->make({.space = &space_});
  for (int round = 0; round < 3; ++round) {
    const auto batch = searcher->propose(8);
    ASSERT_TRUE(batch.ok());
    std::vector<Trial> trials;
    for (const Candidate i : *batch) trials.push_back({i, std::nullopt});
    ASSERT_TRUE(searcher->tell(trials).ok());
  }
}

std::vector<const SearcherKind*> allKinds() {
  std::vector<const SearcherKind*> kinds;
  for (const SearcherKind& kind : searcherKinds()) kinds.push_back(&kind);
  return kinds;
}
INSTANTIATE_TEST_SUITE_P(All, Searchers, ::testing::ValuesIn(allKinds()),
                         [](const auto& info) { return std::string(info.param->name); });

// The first batch is what the model that learned before thinks is fast.
TEST(LearnedSearcher, BeginsWithThePrior) {
  const VtaSpace space = *VtaSpace::create(smallTask());
  CostModel prior({});
  std::vector<Sample> samples;
  for (Candidate i = 0; i < space.size(); ++i) {  // the estimate's best is the slowest
    const double cycles = 1e9 / space.estimate(i);
    samples.push_back({space.features(i), space.estimate(i), static_cast<uint64_t>(cycles), 0});
  }
  ASSERT_TRUE(prior.fit(samples).ok());
  const SearcherKind* learned = *findSearcher("learned");
  const double half = space.estimate(space.byEstimate()[space.size() / 2]);
  for (const CostModel* model : {&std::as_const(prior), static_cast<const CostModel*>(nullptr)}) {
    const auto batch = learned->make({.space = &space, .prior = model})->propose(16);
    ASSERT_TRUE(batch.ok());
    const auto slow =
        std::ranges::count_if(*batch, [&](Candidate i) { return space.estimate(i) > half; });
    EXPECT_EQ(slow >= 8, model != nullptr) << slow;
  }
}

// A model that thinks the slowest schedules are the fastest is corrected by their floors.
TEST(LearnedSearcher, PredictsNothingBelowTheFloor) {
  const VtaSpace space = *VtaSpace::create(smallTask());
  const auto floorOf = [&](Candidate i) { return static_cast<double>(space.floorCycles(i)); };
  std::vector<double> floors;
  for (Candidate i = 0; i < space.size(); ++i) floors.push_back(floorOf(i));
  std::ranges::sort(floors);
  const double median = floors[floors.size() / 2];
  CostModel prior({});
  std::vector<Sample> samples;
  for (Candidate i = 0; i < space.size(); ++i) {
    // Those with high floors are predicted to take next to nothing.
    const double cycles = floorOf(i) > median ? 10 : median / 2;
    samples.push_back({space.features(i), space.estimate(i), static_cast<uint64_t>(cycles), 0});
  }
  ASSERT_TRUE(prior.fit(samples).ok());
  const auto batch =
      (*findSearcher("learned"))->make({.space = &space, .prior = &prior})->propose(16);
  ASSERT_TRUE(batch.ok()) << batch.status().message();
  EXPECT_LE(std::ranges::count_if(*batch, [&](Candidate i) { return floorOf(i) > median; }), 4);
}

// The first results say what to measure next.
TEST(LearnedSearcher, BatchesGrow) {
  const VtaSpace space = *VtaSpace::create(smallTask());
  const auto searcher = (*findSearcher("learned"))->make({.space = &space});
  std::vector<size_t> sizes;
  for (int round = 0; round < 7; ++round) {
    const auto batch = searcher->propose(searcher->batchSize());
    ASSERT_TRUE(batch.ok()) << batch.status().message();
    sizes.push_back(batch->size());
    std::vector<Trial> trials;
    for (const Candidate i : *batch) trials.push_back({i, 1'000'000 + i});
    ASSERT_TRUE(searcher->tell(trials).ok());
  }
  EXPECT_EQ(sizes, (std::vector<size_t>{1, 1, 2, 4, 8, 16, 16}));
}

// However good the kinds are that it knows, it also tries others.
TEST(LearnedSearcher, TriesKindsWithFewTrials) {
  const VtaSpace space = *VtaSpace::create(smallTask());
  std::map<uint64_t, std::vector<Candidate>> kinds;
  for (Candidate i = 0; i < space.size(); ++i) kinds[space.kind(i)].push_back(i);
  std::vector<std::vector<Candidate>> largest;
  for (const auto& [kind, members] : kinds) largest.push_back(members);
  std::ranges::stable_sort(largest, std::greater<>{}, &std::vector<Candidate>::size);
  constexpr size_t kKnownKinds = 4, kTrials = 8;
  ASSERT_GT(largest.size(), kKnownKinds);
  ASSERT_GT(largest[kKnownKinds - 1].size(), kTrials);
  CostModel prior({});  // says that all other kinds are slow
  std::vector<Sample> samples;
  std::vector<Trial> trials;
  for (size_t n = 0; n < largest.size(); ++n) {
    for (const Candidate i : largest[n]) {
      const uint64_t cycles = (n < kKnownKinds ? 100000 : 10000000) + i;
      samples.push_back({space.features(i), space.estimate(i), cycles, 0});
    }
    for (size_t t = 0; t < kTrials && n < kKnownKinds; ++t) {
      trials.push_back({largest[n][t], 100000 + largest[n][t]});
    }
  }
  ASSERT_TRUE(prior.fit(samples).ok());
  const auto searcher = (*findSearcher("learned"))->make({.space = &space, .prior = &prior});
  ASSERT_TRUE(searcher->tell(trials).ok());
  const auto batch = searcher->propose(16);
  ASSERT_TRUE(batch.ok());
  const auto rare = std::ranges::count_if(*batch, [&](Candidate i) {
    return std::ranges::none_of(
        trials, [&](const Trial& trial) { return space.kind(trial.candidate) == space.kind(i); });
  });
  EXPECT_GE(rare, 2);
}

TEST(SearcherRegistry, UnknownNamesListTheKnown) {
  const auto found = findSearcher("oracle");
  EXPECT_EQ(found.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(found.status().message().find("learned"), std::string::npos);
}

TEST(Space, HoldsLegalSchedulesAndCountsTheOthers) {
  Task task = smallTask();
  kernel::Geometry& g = task.desc.geometry;
  g.in_height = g.in_width = g.out_height = g.out_width = 56;  // more than ACC holds
  const VtaSpace space = *VtaSpace::create(task);
  EXPECT_GT(space.size(), 50u);
  EXPECT_FALSE(space.rejected().empty());
  for (Candidate i = 0; i < space.size(); i += 7) {
    EXPECT_TRUE(kernel::checkSchedule(task.desc, space.schedule(i), task.hw).ok());
    EXPECT_EQ(space.find(space.schedule(i)), i);
    for (const Candidate near : space.neighbours(i)) {
      EXPECT_EQ(kernel::countDifferences(space.schedule(i), space.schedule(near)), 1);
    }
  }
}

TEST(Space, FloorsAreNeverAboveCycles) {
  for (const int latency : {1, 16, 200}) {
    Task task = smallTask();
    task.memory.simple.latency_cycles = latency;
    task.memory.simple.beats_denominator = 3;
    task.memory.simple.beats_numerator = 2;
    const VtaSpace space = *VtaSpace::create(task);
    const auto measurer = makeLocalMeasurer();
    ASSERT_TRUE(measurer->begin(task).ok());
    for (Candidate i = 0; i < space.size(); i += 1 + space.size() / 40) {
      const auto measured = measurer->measure({&space.schedule(i), 1}, kAnyCycles);
      ASSERT_EQ(measured[0].outcome, Outcome::kCycles) << measured[0].error;
      EXPECT_LE(space.floorCycles(i), measured[0].cycles) << space.schedule(i).toString();
    }
  }
}

}  // namespace
}  // namespace vta::tune
