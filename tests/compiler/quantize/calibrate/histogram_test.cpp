#include "compiler/quantize/calibrate/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace vta::compiler {
namespace {

Histogram observe(const std::vector<float>& values) {
  Histogram histogram;
  histogram.observeRange(values);
  histogram.observeCounts(values);
  return histogram;
}

std::vector<float> normalWithOutlier(float outlier) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal(0, 1);
  std::vector<float> values(100000);
  for (float& value : values) value = normal(random);
  values[500] = outlier;
  return values;
}

TEST(Histogram, MinMaxKeepsEverything) {
  const ValueRange range = observe({-3, 0, 5}).choose(CalibrationMethod::kMinMax);
  EXPECT_EQ(range.min, -3);
  EXPECT_EQ(range.max, 5);
}

TEST(Histogram, SeveralBatchesMerge) {
  Histogram histogram;
  histogram.observeRange(std::vector<float>{1, 2});
  histogram.observeRange(std::vector<float>{-4});
  EXPECT_EQ(histogram.seen().min, -4);
  EXPECT_EQ(histogram.seen().max, 2);
}

TEST(Histogram, PercentileDropsALoneOutlier) {
  const ValueRange range = observe(normalWithOutlier(50)).choose(CalibrationMethod::kPercentile);
  EXPECT_LT(range.max, 6);
  EXPECT_GT(range.max, 3);
  EXPECT_LT(range.min, -3);
}

TEST(Histogram, KlDropsALoneOutlierAndKeepsTheBulk) {
  const ValueRange range = observe(normalWithOutlier(50)).choose(CalibrationMethod::kKl);
  EXPECT_LT(range.max, 25);
  EXPECT_GT(range.max, 2);
}

// What a relu6 gives: two spikes and a range that is full between them.
TEST(Histogram, KlKeepsARangeThatIsFullToTheEnd) {
  std::mt19937 random(4);
  std::normal_distribution<float> normal(1, 3);
  std::vector<float> values(100000);
  for (float& value : values) value = std::clamp(normal(random), 0.0F, 6.0F);
  const ValueRange range = observe(values).choose(CalibrationMethod::kKl);
  EXPECT_GT(range.max, 5.9);
  EXPECT_EQ(range.min, 0);
}

TEST(Histogram, KlCutsAThousandthAtMost) {
  std::mt19937 random(5);
  std::exponential_distribution<float> exponential(1);
  std::vector<float> values(100000);
  for (float& value : values) value = std::max(exponential(random) - 1, 0.0F);
  const ValueRange range = observe(values).choose(CalibrationMethod::kKl);
  const auto cut = std::ranges::count_if(values, [&](float value) { return value > range.max; });
  EXPECT_LE(cut, 100);
}

TEST(Histogram, ConstantAndEmptyDataFallBackToWhatWasSeen) {
  for (CalibrationMethod method :
       {CalibrationMethod::kMinMax, CalibrationMethod::kPercentile, CalibrationMethod::kKl}) {
    EXPECT_EQ(observe({2, 2, 2}).choose(method).max, 2);
    EXPECT_EQ(observe({}).choose(method).max, 0);
  }
}

}  // namespace
}  // namespace vta::compiler
