#include "compiler/quantize/plan/weight_steps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "compiler/quantize/plan/requantize.h"

namespace vta::compiler {
namespace {

// Filters whose groups of `terms` weights differ in size.
std::vector<float> weightsOfGroups(const FilterLayout& layout, int64_t terms) {
  std::mt19937 random(3);
  std::normal_distribution<float> value;
  std::vector<float> weights(static_cast<size_t>(layout.channels * layout.inner));
  for (int64_t c = 0; c < layout.channels; ++c) {
    float size = 1;
    for (int64_t i = 0; i < layout.inner; ++i) {
      if (i % terms == 0) size = std::exp(value(random));
      weights[static_cast<size_t>(layout.index(c, i))] = size * value(random);
    }
  }
  return weights;
}

double squareError(const std::vector<float>& weights, const FilterLayout& layout,
                   const QuantizedWeights& quantized) {
  double sum = 0;
  for (int64_t c = 0; c < layout.channels; ++c) {
    for (int64_t i = 0; i < layout.inner; ++i) {
      const auto at = static_cast<size_t>(layout.index(c, i));
      sum += std::pow(weights[at] - quantized.values[at] * quantized.scales[static_cast<size_t>(c)],
                      2);
    }
  }
  return sum;
}

QuantizedWeights quantizedInGroups(const std::vector<float>& weights, const FilterLayout& layout,
                                   int64_t terms, const WeightRange& narrow) {
  std::vector<double> scales = channelMaxima(weights, layout);
  for (double& scale : scales) scale /= steppedRange(narrow).most;
  WeightSteps steps = chooseWeightSteps(weights, layout, scales, terms, narrow);
  return quantizeWeights(weights, layout, scales, narrow, std::move(steps));
}

void expectMultiples(const FilterLayout& layout, const QuantizedWeights& quantized,
                     const WeightRange& narrow) {
  for (int64_t c = 0; c < layout.channels; ++c) {
    int64_t sum = 0;
    for (int64_t i = 0; i < layout.inner; ++i) {
      const int32_t value = quantized.values[static_cast<size_t>(layout.index(c, i))];
      const int32_t step = quantized.steps.at(c, i);
      EXPECT_EQ(step % 2, 1);
      EXPECT_EQ(value % step, 0);
      EXPECT_GE(value / step, narrow.least);
      EXPECT_LE(value / step, narrow.most);
      sum += value;
    }
    EXPECT_EQ(quantized.row_sums[static_cast<size_t>(c)], sum);
  }
}

TEST(WeightSteps, AreCloserThanOneScaleForAChannel) {
  for (const int width_bits : {4, 2}) {
    const WeightRange narrow = weightRange(width_bits);
    for (const bool channel_major : {true, false}) {
      const FilterLayout layout{8, 100, channel_major};
      const std::vector<float> weights = weightsOfGroups(layout, 24);  // the last group has 4
      const QuantizedWeights fine = quantizedInGroups(weights, layout, 24, narrow);
      expectMultiples(layout, fine, narrow);
      std::vector<double> scales = channelReach(weights, layout, narrow);
      for (double& scale : scales) scale /= narrow.most;
      const QuantizedWeights coarse = quantizeWeights(weights, layout, scales, narrow);
      EXPECT_LT(squareError(weights, layout, fine), 0.8 * squareError(weights, layout, coarse));
    }
  }
}

TEST(WeightSteps, BalancedWeightsStayMultiples) {
  const WeightRange narrow = weightRange(4);
  const FilterLayout layout{4, 72, true};
  const std::vector<float> weights = weightsOfGroups(layout, 18);
  QuantizedWeights quantized = quantizedInGroups(weights, layout, 18, narrow);
  const auto errorOf = [&](int64_t c) {
    double sum = 0;
    for (int64_t i = 0; i < layout.inner; ++i) {
      const auto at = static_cast<size_t>(layout.index(c, i));
      sum += weights[at] / quantized.scales[static_cast<size_t>(c)] - quantized.values[at];
    }
    return std::abs(sum);
  };
  std::vector<double> before;
  for (int64_t c = 0; c < layout.channels; ++c) before.push_back(errorOf(c));
  balanceRounding(weights, layout, 9, narrow, quantized);
  expectMultiples(layout, quantized, narrow);
  for (int64_t c = 0; c < layout.channels; ++c) {
    EXPECT_LE(errorOf(c), std::max(0.5, before[static_cast<size_t>(c)]));
  }
}

TEST(WeightSteps, KeepIntegersThatFit) {
  const FilterLayout layout{1, 6, true};
  const std::vector<float> weights = {-8, 7, 3, 0, -1, 5};
  const WeightSteps steps = chooseWeightSteps(weights, layout, {1.0}, 3, weightRange(4));
  EXPECT_EQ(steps.of_group, (std::vector<int32_t>{1, 1}));
  EXPECT_EQ(quantizeWeights(weights, layout, {1.0}, weightRange(4), steps).values,
            (std::vector<int8_t>{-8, 7, 3, 0, -1, 5}));
}

TEST(WeightSteps, StayWithinBytes) {
  EXPECT_EQ(steppedRange(weightRange(4)).most, 7 * 17);
  EXPECT_EQ(steppedRange(weightRange(4)).least, -7 * 17);
  EXPECT_EQ(steppedRange(weightRange(2)).most, 127);
  EXPECT_EQ(roundToStep(-200, 17, weightRange(4)), -119);  // -136 is no byte
  EXPECT_EQ(roundToStep(-200, 15, weightRange(4)), -120);
  EXPECT_EQ(roundToStep(200, 17, weightRange(4)), 119);
  EXPECT_EQ(roundToStep(10, 3, weightRange(4)), 9);
  EXPECT_EQ(roundToStep(10, 1, weightRange(8)), 10);
}

}  // namespace
}  // namespace vta::compiler
