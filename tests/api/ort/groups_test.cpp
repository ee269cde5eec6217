#include "api/ort/groups.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace vta::ort {
namespace {

using Groups = std::vector<std::vector<size_t>>;

TEST(ConvexGroups, ChainWithoutOthersIsOneGroup) {
  EXPECT_EQ(convexGroups({{{}, {0}, {1}}, {true, true, true}}), (Groups{{0, 1, 2}}));
}

TEST(ConvexGroups, NodeBetweenSplitsAChain) {
  EXPECT_EQ(convexGroups({{{}, {0}, {1}}, {true, false, true}}), (Groups{{0}, {2}}));
}

TEST(ConvexGroups, BranchBesideAnotherProviderStaysWithItsProducer) {
  // 0 -> 1 (not taken) -> 3 and 0 -> 2 -> 3: node 2 goes with 0, as 3 has to wait for 1.
  EXPECT_EQ(convexGroups({{{}, {0}, {0}, {1, 2}}, {true, false, true, true}}),
            (Groups{{0, 2}, {3}}));
}

TEST(ConvexGroups, NothingIsTaken) {
  EXPECT_EQ(convexGroups({{{}, {0}}, {false, false}}), Groups());
  EXPECT_EQ(convexGroups({}), Groups());
}

/// Whether a path from `group` leaves it and comes back.
bool comesBack(const NodeChoice& choice, const std::vector<size_t>& group) {
  const std::set<size_t> members(group.begin(), group.end());
  std::vector<bool> is_behind(choice.taken.size(), false);  // outside, and reads from the group
  for (size_t node = 0; node < choice.taken.size(); ++node) {
    for (const size_t producer : choice.producers[node]) {
      if (!members.contains(node) && (members.contains(producer) || is_behind[producer])) {
        is_behind[node] = true;
      }
      if (members.contains(node) && is_behind[producer]) return true;
    }
  }
  return false;
}

TEST(ConvexGroups, NoPathOfARandomGraphComesBack) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    NodeChoice choice;
    const size_t count = 2 + random() % 24;
    for (size_t node = 0; node < count; ++node) {
      std::vector<size_t> producers;
      for (size_t i = 0; node > 0 && i < random() % 4; ++i) producers.push_back(random() % node);
      choice.producers.push_back(producers);
      choice.taken.push_back(random() % 3 != 0);
    }
    std::set<size_t> grouped;
    for (const std::vector<size_t>& group : convexGroups(choice)) {
      EXPECT_FALSE(comesBack(choice, group));
      for (const size_t node : group) {
        EXPECT_TRUE(choice.taken[node]);
        EXPECT_TRUE(grouped.insert(node).second);
      }
    }
    for (size_t node = 0; node < count; ++node) {
      EXPECT_EQ(grouped.contains(node), choice.taken[node]);
    }
  }
}

}  // namespace
}  // namespace vta::ort
