#include "compiler/kernel/primitives/loop_nest.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <tuple>
#include <vector>

namespace vta::kernel {
namespace {

using Triple = std::tuple<uint32_t, uint32_t, uint32_t>;

// All micro-ops that an instruction of `plan` executes, in order.
std::vector<Triple> execute(const NestPlan& plan) {
  std::vector<Uop> uops;
  UopCache(2 * plan.uops.count).find(plan.uops, uops);
  std::vector<Triple> trace;
  for (uint32_t i = 0; i < plan.outer.count; ++i) {
    for (uint32_t j = 0; j < plan.inner.count; ++j) {
      for (const Uop& u : uops) {
        trace.emplace_back(u.dst_idx + i * plan.outer.dst + j * plan.inner.dst,
                           u.src_idx + i * plan.outer.src + j * plan.inner.src,
                           u.wgt_idx + i * plan.outer.wgt + j * plan.inner.wgt);
      }
    }
  }
  return trace;
}

// The same micro-ops from the nest itself.
std::multiset<Triple> expand(const std::vector<NestDim>& dims) {
  std::multiset<Triple> all = {{0, 0, 0}};
  for (const NestDim& dim : dims) {
    std::multiset<Triple> next;
    for (const auto& [d, s, w] : all) {
      for (uint32_t i = 0; i < dim.count; ++i) {
        next.emplace(d + i * dim.dst, s + i * dim.src, w + i * dim.wgt);
      }
    }
    all = next;
  }
  return all;
}

bool hasHazard(const std::vector<Triple>& trace) {
  for (size_t i = 0; i < trace.size(); ++i) {
    for (size_t back = 1; back <= 2 && back <= i; ++back) {
      if (std::get<0>(trace[i]) == std::get<0>(trace[i - back])) return true;
    }
  }
  return false;
}

TEST(Nest, MergesLoopsThatContinueEachOther) {
  Nest nest;
  nest.push({4, 6, 12, 0, true});
  nest.push({1, 99, 99, 99, true});
  nest.push({6, 1, 2, 0, true});
  ASSERT_EQ(nest.num_dims, 1);
  EXPECT_EQ(nest.dims[0].count, 24u);
  EXPECT_EQ(nest.dims[0].src, 2u);
}

TEST(Nest, DoesNotMergePastTheIterationField) {
  Nest nest;
  nest.push({2, 10000, 10000, 0, true});
  nest.push({10000, 1, 1, 0, true});
  EXPECT_EQ(nest.num_dims, 2);
}

TEST(PlanNest, PutsTheLargestLoopsInHardware) {
  Nest nest;
  nest.push({3, 0, 1, 1, false});
  nest.push({50, 1, 3, 0, true});
  nest.push({7, 100, 0, 9, true});
  NestPlan plan;
  ASSERT_TRUE(planNest(nest, {}, plan));
  EXPECT_EQ(plan.outer.count, 7u);
  EXPECT_EQ(plan.inner.count, 50u);
  EXPECT_EQ(plan.uops.count, 3u);
}

// Four neighbouring accumulators in a row even where a shorter run of others exists.
TEST(PlanNest, GoesRoundTheBanks) {
  Nest nest;
  nest.push({9, 0, 1, 1, false});
  nest.push({4, 28, 0, 9, true});
  nest.push({28, 1, 1, 0, true});
  NestPlan plan;
  ASSERT_TRUE(planNest(nest, {1, 4, true}, plan));
  EXPECT_EQ(plan.group, 4u);
  const std::vector<Triple> trace = execute(plan);
  for (size_t i = 0; i < trace.size(); ++i) {
    ASSERT_EQ(std::get<0>(trace[i]) % 4, i % 4);
  }
  // One accumulator: there is no other order, and no distance is required.
  Nest one;
  one.push({9, 0, 1, 1, false});
  EXPECT_TRUE(planNest(one, {1, 4, true}, plan));
}

TEST(PlanNest, WalksNeighboursInside) {
  Nest nest;
  nest.push({19, 12, 48, 0, true});
  nest.push({11, 1, 2, 0, true});
  InnermostOrder order;
  NestPlan plan;
  ASSERT_TRUE(planNest(nest, order, plan));
  EXPECT_EQ(plan.inner.count, 19u) << "the longer one";
  order.walks_neighbours = true;
  ASSERT_TRUE(planNest(nest, order, plan));
  EXPECT_EQ(plan.inner.count, 11u);
  EXPECT_EQ(plan.outer.count, 19u);
}

TEST(PlanNest, RefusesFewerThanThreeAccumulatorsWhereHazardsCount) {
  Nest nest;
  nest.push({9, 0, 1, 1, false});
  nest.push({2, 1, 9, 0, true});
  NestPlan plan;
  EXPECT_FALSE(planNest(nest, {3, 3}, plan));
  EXPECT_TRUE(planNest(nest, {}, plan));
}

TEST(PlanNest, ExecutesTheNestWithoutHazards) {
  std::mt19937 rng(7);
  const auto pick = [&](uint32_t lo, uint32_t hi) {
    return std::uniform_int_distribution<uint32_t>(lo, hi)(rng);
  };
  int planned = 0;
  for (int round = 0; round < 400; ++round) {
    // Reductions, then loops over accumulators with strides that keep these apart.
    std::vector<NestDim> dims;
    for (int i = 0; i < 3; ++i) dims.push_back({pick(1, 3), 0, pick(1, 50), pick(1, 9), false});
    for (uint32_t stride : {400u, 20u, 1u})
      dims.push_back({pick(1, 7), stride, pick(0, 9), 0, true});
    Nest nest;
    for (const NestDim& dim : dims) nest.push(dim);
    for (const bool avoid_hazards : {false, true}) {
      NestPlan plan;
      if (!planNest(nest, avoid_hazards ? InnermostOrder{3, 3} : InnermostOrder{}, plan)) continue;
      ++planned;
      const std::vector<Triple> trace = execute(plan);
      ASSERT_EQ(std::multiset<Triple>(trace.begin(), trace.end()), expand(dims));
      if (avoid_hazards) {
        ASSERT_FALSE(hasHazard(trace)) << "round " << round;
      }
    }
  }
  EXPECT_GT(planned, 700);
}

// Few different loops, so that most are found, and more of them than the cache has places.
TEST(PlanCache, GivesWhatPlanNestGives) {
  std::mt19937 rng(11);
  const auto pick = [&](uint32_t lo, uint32_t hi) {
    return std::uniform_int_distribution<uint32_t>(lo, hi)(rng);
  };
  const InnermostOrder order{3, 3};
  PlanCache plans(order);
  int impossible = 0;
  for (int round = 0; round < 2000; ++round) {
    Nest nest;
    nest.base = {pick(0, 999), pick(0, 999), pick(0, 99)};
    nest.push({pick(1, 3), 0, pick(1, 2), 1, false});
    nest.push({pick(1, 4), 1, pick(1, 2), 0, true});
    NestPlan expected;
    const NestPlan* plan = plans.find(nest);
    ASSERT_EQ(plan != nullptr, planNest(nest, order, expected)) << "round " << round;
    if (plan == nullptr) {
      ++impossible;
      continue;
    }
    ASSERT_EQ(plan->uops, expected.uops) << "round " << round;
    ASSERT_EQ(plan->inner, expected.inner);
    ASSERT_EQ(plan->outer, expected.outer);
    ASSERT_EQ(plan->group, expected.group);
  }
  EXPECT_GT(impossible, 100);
}

}  // namespace
}  // namespace vta::kernel
