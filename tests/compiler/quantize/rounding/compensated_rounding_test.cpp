#include "compiler/quantize/rounding/compensated_rounding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace vta::compiler {
namespace {

// Inputs that resemble their neighbours, as pixels and channels do.
InputMoments relatedInputs(int64_t groups, int64_t terms, int columns) {
  std::mt19937 random(3);
  std::normal_distribution<float> value(0, 1);
  InputMoments moments(groups, terms);
  for (int i = 0; i < columns; ++i) {
    for (int64_t group = 0; group < groups; ++group) {
      std::vector<float> column;
      const float common = value(random);
      for (int64_t t = 0; t < terms; ++t) column.push_back(common + 0.3F * value(random) + 2);
      moments.observe(group, column);
    }
  }
  return moments;
}

std::vector<float> randomWeights(int64_t count) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> value(-1, 1);
  std::vector<float> weights(static_cast<size_t>(count));
  for (float& w : weights) w = value(random);
  return weights;
}

// The variance of one channel's error, over the inputs.
double outputError(const std::vector<float>& weights, const FilterLayout& layout,
                   const InputMoments& moments, const QuantizedWeights& q, int64_t channel) {
  const int64_t group = channel / (layout.channels / moments.groups());
  double sum = 0;
  for (int64_t block = 0; block < moments.blocks(); ++block) {
    const auto covariance = moments.covariance(group, block);
    const int64_t size = moments.blockTerms(block), first = block * InputMoments::kBlockTerms;
    const auto error = [&](int64_t i) {
      const int64_t at = layout.index(channel, first + i);
      return weights[at] - q.values[at] * q.scales[channel];
    };
    for (int64_t i = 0; i < size; ++i) {
      for (int64_t j = 0; j < size; ++j) sum += error(i) * error(j) * covariance[i * size + j];
    }
  }
  return sum;
}

struct Case {
  FilterLayout layout;
  int64_t groups = 1;
  WeightRange range = {};
};

class CompensatedRoundingTest : public testing::TestWithParam<Case> {};

TEST_P(CompensatedRoundingTest, OutputsChangeFarLessThanWithRoundingToNearest) {
  const auto& [layout, groups, range] = GetParam();
  const auto weights = randomWeights(layout.channels * layout.inner);
  const auto moments = relatedInputs(groups, layout.inner, 20000);
  std::vector<double> scales(layout.channels, 1.0 / range.most);
  const QuantizedWeights nearest = quantizeWeights(weights, layout, scales, range);
  QuantizedWeights compensated = nearest;
  compensateRounding(weights, layout, moments, range, compensated);
  double before = 0, after = 0;
  for (int64_t c = 0; c < layout.channels; ++c) {
    before += outputError(weights, layout, moments, nearest, c);
    after += outputError(weights, layout, moments, compensated, c);
    int64_t sum = 0;
    for (int64_t i = 0; i < layout.inner; ++i) {
      const int value = compensated.values[layout.index(c, i)];
      EXPECT_GE(value, range.least);
      EXPECT_LE(value, range.most);
      sum += value;
    }
    EXPECT_EQ(compensated.row_sums[c], sum);
  }
  EXPECT_LT(after, before / 2);
  EXPECT_EQ(compensated.scales, nearest.scales);
}

INSTANTIATE_TEST_SUITE_P(Layers, CompensatedRoundingTest,
                         testing::Values(Case{{16, 64, true}}, Case{{16, 64, false}},
                                         Case{{16, 64, true}, 1, weightRange(4)},
                                         Case{{32, 9, true}, 32}, Case{{16, 36, true}, 4},
                                         Case{{4, InputMoments::kBlockTerms + 40, true}}));

TEST(CompensatedRounding, IntegersStay) {
  const FilterLayout layout{4, 16, true};
  std::vector<float> weights = randomWeights(64);
  for (float& w : weights) w = std::round(w * 100) * 0.03F;
  QuantizedWeights quantized = quantizeWeights(weights, layout, std::vector<double>(4, 0.03F));
  const QuantizedWeights before = quantized;
  compensateRounding(weights, layout, relatedInputs(1, 16, 100), {}, quantized);
  EXPECT_EQ(quantized.values, before.values);
}

TEST(CompensatedRounding, InputsThatNeverVaryLeaveTheWeights) {
  const FilterLayout layout{2, 8, true};
  const auto weights = randomWeights(16);
  InputMoments constant(1, 8);
  for (int i = 0; i < 5; ++i) constant.observe(0, std::vector<float>(8, 1.0F));
  QuantizedWeights quantized = quantizeWeights(weights, layout, {0.01, 0.01});
  const QuantizedWeights before = quantized;
  compensateRounding(weights, layout, constant, {}, quantized);
  EXPECT_EQ(quantized.values, before.values);
}

TEST(CompensatedRounding, FewColumnsDoNotSpoilOtherInputs) {
  const FilterLayout layout{16, 64, true};
  const auto weights = randomWeights(16 * 64);
  const QuantizedWeights nearest = quantizeWeights(weights, layout, std::vector<double>(16, 0.01));
  const auto others = relatedInputs(1, 64, 20000);
  const auto errorOf = [&](const QuantizedWeights& quantized) {
    double sum = 0;
    for (int64_t c = 0; c < 16; ++c) sum += outputError(weights, layout, others, quantized, c);
    return sum;
  };
  for (const int columns : {2, 5, 20}) {
    QuantizedWeights quantized = nearest;
    compensateRounding(weights, layout, relatedInputs(1, 64, columns), {}, quantized);
    EXPECT_LT(errorOf(quantized), 1.05 * errorOf(nearest)) << columns;
  }
}

TEST(WeightErrorInMean, SumsRoundingTimesMeanInBothLayouts) {
  InputMoments moments(1, 2);
  moments.observe(0, std::vector<float>{10, 100});
  EXPECT_EQ(weightErrorInMean({1, 2, 3, 4}, {2, 2, true}, moments, {{2, 2, 4, 8}, {0.5, 0.5}, {}}),
            (std::vector<double>{100, 10}));
  EXPECT_EQ(weightErrorInMean({1, 3, 2, 4}, {2, 2, false}, moments, {{1, 4, 1, 8}, {1, 0.5}, {}}),
            (std::vector<double>{100, 10}));
}

}  // namespace
}  // namespace vta::compiler
