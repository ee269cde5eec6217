#include "explore/sweep/network/network_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/explore/tune/tasks.h"

namespace vta::sweep {
namespace {

using Choice = std::vector<bool>;

/// Cycles of a network: a kernel's tuned schedule gains something alone, and loses something beside
/// a neighbour that has another kind of schedule.
struct Costs {
  std::vector<int64_t> gains;
  std::vector<int64_t> losses;  // between kernel i and i + 1, where only one is tuned

  uint64_t cycles(const Choice& is_tuned) const {
    int64_t cycles = 100'000;
    for (size_t i = 0; i < gains.size(); ++i) {
      if (is_tuned[i]) cycles -= gains[i];
      if (i + 1 < gains.size() && is_tuned[i] != is_tuned[i + 1]) cycles += losses[i];
    }
    return static_cast<uint64_t>(cycles);
  }
};

Result<KernelChoice> choose(const Costs& costs, const ChoiceEffort& effort = {},
                            Choice are_equal = {}) {
  are_equal.resize(costs.gains.size(), false);
  const auto measure = [&](const Choice& choice) -> Result<uint64_t> {
    for (size_t i = 0; i < choice.size(); ++i) {
      EXPECT_FALSE(are_equal[i] && choice[i]) << "kernel " << i << " has no choice";
    }
    return costs.cycles(choice);
  };
  return chooseKernels(are_equal, measure, effort);
}

TEST(NetworkChoice, KeepsWhatMakesTheNetworkFaster) {
  const auto choice = choose({{500, -900, 300}, {0, 0}});
  ASSERT_TRUE(choice.ok());
  EXPECT_EQ(choice->is_tuned, (Choice{true, false, true}));
  EXPECT_EQ(choice->untuned_cycles, 100'000u);
  EXPECT_EQ(choice->tuned_cycles, 100'100u);
  EXPECT_EQ(choice->cycles, 99'200u);
}

TEST(NetworkChoice, ChangesNeighboursTogether) {
  // Either of the first two alone loses; a third schedule is bad in any case.
  const auto choice = choose({{400, 400, -5'000}, {900, 0}});
  ASSERT_TRUE(choice.ok());
  EXPECT_EQ(choice->is_tuned, (Choice{true, true, false}));
  EXPECT_EQ(choice->cycles, 99'200u);
}

TEST(NetworkChoice, IsNeverSlowerThanNoneOrAll) {
  std::mt19937 random(1);
  for (int network = 0; network < 200; ++network) {
    Costs costs;
    const size_t kernels = 1 + random() % 12;
    for (size_t i = 0; i < kernels; ++i) {
      costs.gains.push_back(static_cast<int64_t>(random() % 2'000) - 800);
      costs.losses.push_back(static_cast<int64_t>(random() % 1'500));
    }
    const int64_t most_runs = 2 + static_cast<int64_t>(random() % 40);
    const auto choice = choose(costs, {.most_runs = most_runs});
    ASSERT_TRUE(choice.ok());
    EXPECT_EQ(choice->cycles, costs.cycles(choice->is_tuned));
    EXPECT_LE(choice->cycles, costs.cycles(Choice(kernels, false)));
    EXPECT_LE(choice->cycles, costs.cycles(Choice(kernels, true)));
    EXPECT_LE(choice->runs, most_runs);
  }
}

TEST(NetworkChoice, EndsWhenItsEffortIsUsedUp) {
  const Costs costs{std::vector<int64_t>(50, -10), std::vector<int64_t>(50, 0)};
  EXPECT_EQ(choose(costs, {.most_runs = 1})->runs, 2) << "without and with are always measured";
  EXPECT_EQ(choose(costs, {.most_runs = 30})->runs, 30);
  EXPECT_EQ(choose(costs, {.most_cycles = 250'000})->runs, 3);
}

TEST(NetworkChoice, KernelsWithoutAChoiceAreLeftAlone) {
  const auto none = choose({{100, 100}, {0, 0}}, {}, {true, true});
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(none->runs, 1);
  EXPECT_EQ(none->tuned_cycles, none->untuned_cycles);
  const auto one = choose({{100, 100}, {0, 0}}, {}, {true, false});
  ASSERT_TRUE(one.ok());
  EXPECT_EQ(one->is_tuned, (Choice{false, true}));
}

TEST(NetworkChoice, ErrorsOfARunAreTheChoices) {
  const auto measure = [](const Choice&) -> Result<uint64_t> { return internalError("no device"); };
  EXPECT_EQ(chooseKernels({false}, measure, {}).status().message(), "no device");
}

TEST(NetworkChoice, AFingerprintIsThatOfTheKernelsInTheirOrder) {
  kernel::KernelDesc first = tune::testing::smallTask().desc;
  first.name = "conv1";
  kernel::KernelDesc second = first;
  second.name = "conv2";
  second.geometry.in_height = first.geometry.in_height + 1;
  const std::vector<kernel::KernelDesc> network = {first, second};
  const std::vector<kernel::KernelDesc> turned = {second, first};
  EXPECT_NE(networkFingerprint(network), networkFingerprint(turned));
  std::vector<kernel::KernelDesc> renamed = network;
  renamed[0].name = "another";
  EXPECT_EQ(networkFingerprint(network), networkFingerprint(renamed));
}

}  // namespace
}  // namespace vta::sweep
