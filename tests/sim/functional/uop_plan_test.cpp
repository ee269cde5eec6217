#include "sim/functional/uop_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>

namespace vta::sim {
namespace {

using Product = std::tuple<uint32_t, uint32_t, uint32_t>;  // dst, src, wgt

std::map<Product, int> productsOf(const std::vector<Uop>& uops) {
  std::map<Product, int> products;
  for (const Uop& uop : uops) ++products[{uop.dst_idx, uop.src_idx, uop.wgt_idx}];
  return products;
}

std::map<Product, int> productsOf(const UopPlan& plan) {
  std::map<Product, int> products;
  for (const UopFamily& family : plan.families) {
    for (const UopFamily::Row& row : family.rows) {
      for (const UopFamily::Step& step : family.steps) {
        ++products[{family.base.dst + row.dst, family.base.src + row.src + step.src,
                    family.base.wgt + step.wgt}];
      }
    }
  }
  return products;
}

TEST(UopPlanTest, OneReductionIsOneFamilyOfOneRow) {
  const UopPlan plan = makeUopPlan(std::vector<Uop>{{5, 9, 2}, {5, 7, 3}, {5, 8, 4}});
  ASSERT_EQ(plan.families.size(), 1u);
  EXPECT_EQ(plan.families[0].rows.size(), 1u);
  EXPECT_EQ(plan.families[0].steps.size(), 3u);
  EXPECT_EQ(plan.max_dst, 5u);
  EXPECT_EQ(plan.max_src, 9u);
  EXPECT_EQ(plan.max_wgt, 4u);
}

TEST(UopPlanTest, DestinationsWithTheSameReductionShareAFamily) {
  std::vector<Uop> uops;
  for (uint32_t x = 0; x < 4; ++x) {
    for (uint32_t tap = 0; tap < 3; ++tap) uops.push_back({10 + x, x + tap, tap});
  }
  const UopPlan plan = makeUopPlan(uops);
  ASSERT_EQ(plan.families.size(), 1u);
  EXPECT_EQ(plan.families[0].rows.size(), 4u);
  EXPECT_EQ(productsOf(plan), productsOf(uops));
}

TEST(UopPlanTest, FamiliesAtOtherPlacesLookAlike) {
  const UopPlan plan = makeUopPlan(std::vector<Uop>{{0, 3, 0}, {0, 4, 1}, {7, 3, 8}, {7, 4, 9}});
  ASSERT_EQ(plan.families.size(), 2u);
  EXPECT_EQ(plan.families[0].steps, plan.families[1].steps);
  EXPECT_EQ(plan.families[0].rows, plan.families[1].rows);
}

TEST(UopPlanTest, RandomListsKeepEveryProduct) {
  std::mt19937 rng(1);
  UopPlanCache cache;
  for (int i = 0; i < 300; ++i) {
    std::vector<Uop> uops(1 + rng() % 30);
    const auto below = [&](uint32_t limit) { return static_cast<uint32_t>(rng() % limit); };
    for (Uop& uop : uops) uop = {below(6), below(6), below(4)};
    EXPECT_EQ(productsOf(cache.find(uops)), productsOf(uops));
    EXPECT_EQ(productsOf(cache.find(uops)), productsOf(uops));
  }
}

}  // namespace
}  // namespace vta::sim
