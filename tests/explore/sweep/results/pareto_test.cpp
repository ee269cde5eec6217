#include "explore/sweep/results/pareto.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vta::sweep {
namespace {

PointResult pointOf(std::vector<double> objectives, bool is_feasible = true) {
  PointResult result;
  result.objectives = std::move(objectives);
  result.is_feasible = is_feasible;
  return result;
}

TEST(Pareto, KeepsWhatNothingBeats) {
  std::vector<PointResult> results;
  results.push_back(pointOf({3, 1}));
  results.push_back(pointOf({1, 3}));
  results.push_back(pointOf({2, 2}));
  results.push_back(pointOf({2, 3}));         // beaten by the one before
  results.push_back(pointOf({0, 0}, false));  // not feasible
  results.push_back(pointOf({2, 2}));         // equal to one of the front
  EXPECT_THAT(paretoFront(results), ::testing::ElementsAre(0, 1, 2, 5));
}

TEST(Pareto, NothingIsTheFrontOfNothing) { EXPECT_TRUE(paretoFront({}).empty()); }

}  // namespace
}  // namespace vta::sweep
