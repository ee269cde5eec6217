#include "compiler/quantize/rounding/input_moments.h"

#include <gtest/gtest.h>

#include <random>

namespace vta::compiler {
namespace {

TEST(InputMoments, MeansAndCovarianceOfEachGroup) {
  InputMoments moments(2, 2);
  for (const float x : {1.0F, 2.0F, 3.0F, 4.0F}) {
    moments.observe(0, std::vector<float>{x, -2 * x});
    moments.observe(1, std::vector<float>{5, x});
  }
  EXPECT_EQ(moments.count(), 4);
  EXPECT_DOUBLE_EQ(moments.mean(0, 0), 2.5);
  EXPECT_DOUBLE_EQ(moments.mean(0, 1), -5);
  EXPECT_DOUBLE_EQ(moments.mean(1, 0), 5);
  EXPECT_EQ(moments.covariance(0, 0), (std::vector<double>{1.25, -2.5, -2.5, 5}));
  EXPECT_EQ(moments.covariance(1, 0), (std::vector<double>{0, 0, 0, 1.25}));
}

TEST(InputMoments, ManyTermsAreSplitIntoBlocks) {
  constexpr int64_t kTerms = InputMoments::kBlockTerms + 3;
  InputMoments moments(2, kTerms);
  ASSERT_EQ(moments.blocks(), 2);
  EXPECT_EQ(moments.blockTerms(0), InputMoments::kBlockTerms);
  EXPECT_EQ(moments.blockTerms(1), 3);
  std::mt19937 random(1);
  std::uniform_real_distribution<float> value(-1, 1);
  double sum = 0, squares = 0;
  for (int i = 0; i < 50; ++i) {
    for (const int64_t group : {0, 1}) {
      std::vector<float> column(kTerms);
      for (float& v : column) v = value(random);
      moments.observe(group, column);
      if (group == 0) continue;
      sum += column.back();
      squares += column.back() * column.back();
    }
  }
  const auto last = moments.covariance(1, 1);
  ASSERT_EQ(last.size(), 9U);
  EXPECT_NEAR(last[8], squares / 50 - sum / 50 * (sum / 50), 1e-5);
  EXPECT_NEAR(moments.mean(1, kTerms - 1), sum / 50, 1e-6);
}

TEST(InputMoments, MeansDoNotDependOnWhetherCovarianceIsKept) {
  InputMoments means(2, 3, MomentOrder::kFirst), all(2, 3);
  for (const float x : {0.1F, -7.0F, 3.5F}) {
    for (const int64_t group : {0, 1}) {
      const std::vector<float> column = {x, x * x, static_cast<float>(group) - x};
      means.observe(group, column);
      all.observe(group, column);
    }
  }
  EXPECT_EQ(means.count(), 3);
  for (const int64_t group : {0, 1}) {
    for (const int64_t term : {0, 1, 2}) EXPECT_EQ(means.mean(group, term), all.mean(group, term));
  }
}

TEST(InputMoments, SmallChangesOfLargeValuesAreKept) {
  InputMoments moments(1, 1);
  for (int i = 0; i < 1000; ++i) {
    moments.observe(0, std::vector<float>{i % 2 == 0 ? 4096.0F : 4096.5F});
  }
  EXPECT_NEAR(moments.covariance(0, 0)[0], 0.0625, 1e-6);
}

TEST(InputMoments, WithoutColumnsAllIsZero) {
  const InputMoments moments(1, 3);
  EXPECT_EQ(moments.mean(0, 2), 0);
  EXPECT_EQ(moments.covariance(0, 0), std::vector<double>(9));
}

}  // namespace
}  // namespace vta::compiler
