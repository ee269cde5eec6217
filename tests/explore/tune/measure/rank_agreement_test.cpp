#include "explore/tune/measure/rank_agreement.h"

#include <gtest/gtest.h>

#include <vector>

namespace vta::tune {
namespace {

using Cycles = std::vector<uint64_t>;

TEST(RankAgreementTest, OnlyTheOrderCounts) {
  EXPECT_DOUBLE_EQ(rankAgreement(Cycles{1, 2, 3}, Cycles{10, 200, 201}), 1);
  EXPECT_DOUBLE_EQ(rankAgreement(Cycles{1, 2, 3}, Cycles{9, 8, 1}), -1);
  EXPECT_DOUBLE_EQ(rankAgreement(Cycles{3, 1, 2, 4}, Cycles{3, 2, 1, 4}), 0.8);
}

TEST(RankAgreementTest, EqualValuesShareTheirRanks) {
  EXPECT_DOUBLE_EQ(rankAgreement(Cycles{1, 1, 2}, Cycles{5, 5, 7}), 1);
  EXPECT_NEAR(rankAgreement(Cycles{1, 1, 2}, Cycles{5, 6, 7}), 0.866, 0.001);
}

TEST(RankAgreementTest, NothingToCompareIsNoAgreement) {
  EXPECT_EQ(rankAgreement(Cycles{}, Cycles{}), 0);
  EXPECT_EQ(rankAgreement(Cycles{4}, Cycles{4}), 0);
  EXPECT_EQ(rankAgreement(Cycles{4, 4}, Cycles{1, 2}), 0);
}

}  // namespace
}  // namespace vta::tune
