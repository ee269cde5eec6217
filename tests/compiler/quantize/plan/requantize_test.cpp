#include "compiler/quantize/plan/requantize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace vta::compiler {
namespace {

TEST(FixedPoint, UsesEveryBitOfTheLargestMultiplier) {
  const FixedPoint fixed = toFixedPoint({0.0037, 0.0001}, 18);
  EXPECT_LT(fixed.multipliers[0], 1 << 17);
  EXPECT_GE(fixed.multipliers[0], 1 << 16);
  EXPECT_NEAR(std::ldexp(fixed.multipliers[0], -fixed.shift), 0.0037, 0.0037 / (1 << 16));
  EXPECT_NEAR(std::ldexp(fixed.multipliers[1], -fixed.shift), 0.0001, 0.0037 / (1 << 16));
}

TEST(FixedPoint, ShiftStaysInTheInstructionsRange) {
  EXPECT_EQ(toFixedPoint({1e-30}, 18).shift, 62);
  EXPECT_EQ(toFixedPoint({131071.0}, 18).shift, 0);
  EXPECT_EQ(toFixedPoint({131071.0}, 18).multipliers[0], 131071);
}

TEST(ActivationParams, AnyZeroPointCoversTheWholeRange) {
  const QuantParams params = chooseActivationParams(-1.0, 3.0, false, false);
  EXPECT_NEAR(params.scale, 4.0 / 255, 1e-12);
  EXPECT_EQ(params.zero_point, -64);
}

TEST(ActivationParams, ZeroPaddingLimitsTheZeroPoint) {
  EXPECT_EQ(chooseActivationParams(-1.0, 3.0, true, true).zero_point, 0);
  EXPECT_EQ(chooseActivationParams(0.0, 3.0, true, false).zero_point, 0);
  const QuantParams relu = chooseActivationParams(0.0, 3.0, true, true);
  EXPECT_EQ(relu.zero_point, -128);
  EXPECT_NEAR(relu.scale, 3.0 / 255, 1e-12);
}

TEST(ActivationParams, ZeroIsAlwaysInsideTheRange) {
  const QuantParams params = chooseActivationParams(2.0, 4.0, false, false);
  EXPECT_EQ(params.zero_point, -128);
  EXPECT_NEAR(params.scale, 4.0 / 255, 1e-12);
}

TEST(ActivationParams, AConstantZeroHasAFiniteScale) {
  EXPECT_EQ(chooseActivationParams(0, 0, false, true).scale, 1.0);
}

TEST(QuantizedClip, ReluAndRelu6) {
  const double infinity = std::numeric_limits<double>::infinity();
  const IntRange relu = quantizedClip(0, infinity, {0.1, 0});
  EXPECT_EQ(relu.lo, 0);
  EXPECT_EQ(relu.hi, 127);
  const IntRange relu6 = quantizedClip(0, 6, {0.1, -20});
  EXPECT_EQ(relu6.lo, -20);
  EXPECT_EQ(relu6.hi, 40);
  const IntRange none = quantizedClip(-infinity, infinity, {0.1, 5});
  EXPECT_EQ(none.lo, -128);
  EXPECT_EQ(none.hi, 127);
}

TEST(RoundToInt32, TiesAwayFromZeroAndSaturation) {
  EXPECT_EQ(roundToInt32(2.5), 3);
  EXPECT_EQ(roundToInt32(-2.5), -3);
  EXPECT_EQ(roundToInt32(1e20), std::numeric_limits<int32_t>::max());
  EXPECT_EQ(roundToInt32(-1e20), std::numeric_limits<int32_t>::min());
}

TEST(Weights, BothLayoutsQuantiseTheSameMatrix) {
  const std::vector<float> by_channel = {1.0F, -2.0F, 0.5F, 4.0F, 0.0F, 2.0F};  // 2 channels x 3
  const std::vector<float> transposed = {1.0F, 4.0F, -2.0F, 0.0F, 0.5F, 2.0F};
  const FilterLayout major{2, 3, true}, minor{2, 3, false};
  EXPECT_EQ(channelMaxima(by_channel, major), (std::vector<double>{2.0, 4.0}));
  EXPECT_EQ(channelMaxima(transposed, minor), (std::vector<double>{2.0, 4.0}));
  const auto a = quantizeWeights(by_channel, major, {2.0 / 127, 4.0 / 127});
  const auto b = quantizeWeights(transposed, minor, {2.0 / 127, 4.0 / 127});
  EXPECT_EQ(a.values, (std::vector<int8_t>{64, -127, 32, 127, 0, 64}));
  EXPECT_EQ(b.values, (std::vector<int8_t>{64, 127, -127, 0, 32, 64}));
  EXPECT_EQ(a.row_sums, (std::vector<int64_t>{-31, 191}));
  EXPECT_EQ(b.row_sums, a.row_sums);
}

TEST(Weights, NarrowOnesReachAsFarAsErrsLeast) {
  // One weight far away from the others: with few steps it is better off at the end of them.
  std::vector<float> weights(640);
  for (size_t i = 0; i < weights.size(); ++i) {
    weights[i] = 0.01F * static_cast<float>(i % 15) - 0.07F;
  }
  weights[5] = 0.28F;
  const FilterLayout layout{1, 640, true};
  const WeightRange four_bits = weightRange(4);
  EXPECT_EQ(channelReach(weights, layout, {}), channelMaxima(weights, layout));
  const double reach = channelReach(weights, layout, four_bits)[0];
  EXPECT_LT(reach, 0.2);
  EXPECT_GE(reach, 0.07);
  const auto error = [&](double scale) {
    const auto quantized = quantizeWeights(weights, layout, {scale}, four_bits);
    double sum = 0;
    for (size_t i = 0; i < weights.size(); ++i) {
      EXPECT_GE(quantized.values[i], -8);
      EXPECT_LE(quantized.values[i], 7);
      sum += std::pow(weights[i] - quantized.values[i] * scale, 2);
    }
    return sum;
  };
  EXPECT_LT(error(reach / four_bits.most), 0.8 * error(0.28 / four_bits.most));
}

TEST(Weights, MultiplesOfOneUnitAreNotRounded) {
  // Bilinear interpolation, thirds, and weights of no unit.
  const std::vector<float> weights = {9.0F / 16, 3.0F / 16, 3.0F / 16, 1.0F / 16,
                                      1.0F / 3,  2.0F / 3,  -1.0F,     0.0F,
                                      0.1F,      0.234F,    0.5F,      0.7771F};
  const FilterLayout layout{3, 4, true};
  const std::vector<double> reach = exactReach(weights, layout, {});
  std::vector<double> scales;
  for (const double channel : reach) scales.push_back(channel / WeightRange().most);
  const QuantizedWeights quantized = quantizeWeights(weights, layout, scales);
  EXPECT_EQ(std::vector<int8_t>(quantized.values.begin(), quantized.values.begin() + 8),
            (std::vector<int8_t>{126, 42, 42, 14, 42, 84, -126, 0}));
  EXPECT_EQ(reach[2], channelReach(weights, layout, {})[2]);
  // Four bits hold 1, 2, 3 and 0 thirds, but not 9 sixteenths.
  EXPECT_NEAR(exactReach(weights, layout, weightRange(4))[1] / 7, 1.0 / 6, 1e-6);
  EXPECT_EQ(exactReach(weights, layout, weightRange(4))[0],
            channelReach(weights, layout, weightRange(4))[0]);
  EXPECT_EQ(exactReach({0.0F, 0.0F}, {1, 2, true}, {}), (std::vector<double>{0.0}));
}

TEST(WeightScalesForQmul, TinyChannelsKeepPreciseMultipliers) {
  const auto scales = weightScalesForQmul({1.27, 1e-9}, {0.0F, 0.0F}, 0.02, 0.05);
  EXPECT_DOUBLE_EQ(scales[0], 0.01);
  EXPECT_DOUBLE_EQ(scales[1], 0.01 / 512);
}

TEST(WeightScalesForQmul, BiasesFitTheAccumulator) {
  const double in_scale = 1e-6;
  const auto scales = weightScalesForQmul({1e-3}, {1e4F}, in_scale, 1.0);
  EXPECT_LE(1e4 / (in_scale * scales[0]), 1 << 29);
}

TEST(WeightScalesForShift, RatiosAreExactPowersOfTwoAndHoldTheWeights) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> log_value(-6, 2);
  for (int trial = 0; trial < 1000; ++trial) {
    const double in = std::exp2(log_value(random)), out = std::exp2(log_value(random));
    const double maximum = std::exp2(log_value(random));
    const auto shifted = weightScalesForShift({maximum}, {0.0F}, in, out, 0, 15);
    const double ratio = std::log2(out / (in * shifted.scales[0]));
    EXPECT_NEAR(ratio, shifted.shifts[0], 1e-9);
    if (shifted.shifts[0] > 0) {
      // Weights fit, unless even the smallest shift is too coarse for them.
      EXPECT_LE(maximum, 127 * shifted.scales[0] * (1 + 1e-6));
    }
    if (shifted.shifts[0] < 15) {
      EXPECT_GT(maximum, 127 * shifted.scales[0] / 2 * (1 - 1e-6));
    }
  }
}

TEST(ToExactFactors, TwoMultipliersAreFarMorePrecise) {
  std::mt19937 random(8);
  std::uniform_real_distribution<double> log_value(-14, -2);
  for (int trial = 0; trial < 200; ++trial) {
    // Factors of one layer, down to a thousandth of the largest.
    const double largest = std::exp2(log_value(random));
    const std::vector<double> factors = {largest, largest / 3, largest / 100, largest / 1000};
    const ExactFactors exact = toExactFactors(factors, 18);
    for (size_t i = 0; i < factors.size(); ++i) {
      EXPECT_LT(std::abs(exact.first[i]), 1 << 17);
      EXPECT_LT(std::abs(exact.second[i]), 1 << 17);
      const double product = static_cast<double>(exact.first[i]) * exact.second[i];
      const double actual = std::ldexp(product, -exact.first_shift - exact.second_shift);
      EXPECT_NEAR(actual / factors[i], 1, i < 2 ? 1e-7 : 1e-5);
    }
    EXPECT_LE(exact.first_shift, 62);
    EXPECT_LE(exact.second_shift, 62);
  }
}

TEST(ToExactFactors, LargeFactorsReachSaturationWithMultipliersOfEveryWidth) {
  for (const int bits : {8, 12, 18, 25}) {
    for (const double factor : {3.0, 40.0, 256.0, 1e20}) {
      const ExactFactors exact = toExactFactors({factor}, bits);
      const double product = static_cast<double>(exact.first[0]) * exact.second[0];
      const double actual = std::ldexp(product, -exact.first_shift - exact.second_shift);
      if (factor <= kLargestFactor) {
        EXPECT_NEAR(actual / factor, 1, 0.02) << bits;
      }
      EXPECT_GE(actual, std::min(factor, kLargestFactor) * 0.98) << bits;
    }
  }
}

TEST(KeptWeightScales, DeadChannelsGetTheScaleOfAnother) {
  const ChannelExtremes extremes{{-1, 0, -2}, {1, 0, 2}};
  const auto scales =
      keptWeightScales({0.02, 0, 0.03}, extremes, {1, 0, 2}, {0.0F, 0.5F, 0.0F}, 0.01);
  EXPECT_EQ(scales, (std::vector<double>{0.02, 0.02, 0.03}));
  // Unless its bias would not fit.
  const auto large = keptWeightScales({0.02, 0, 0.03}, extremes, {1, 0, 2}, {0, 1e6F, 0}, 0.01);
  EXPECT_NEAR(large[1], 1e6 / 0.01 / (1 << 29), 1e-3);
  EXPECT_EQ(keptWeightScales({0}, {{0}, {0}}, {0}, {0.0F}, 0.01), std::vector<double>{1});
}

TEST(WeightScalesForShift, ScalesBeyondTheLeastShiftKeepTheProportionsOfWeights) {
  const ShiftedScales shifted = weightScalesForShift({1270.0}, {0.0F}, 1, 1e-3, -9, 15);
  EXPECT_EQ(shifted.shifts[0], -9);
  EXPECT_NEAR(shifted.scales[0], 10, 1e-9);
}

TEST(KeptWeightScales, OnlyChannelsThatDoNotFitChange) {
  const ChannelExtremes extremes{{-12.8, -12.9, -1.0, -1.0}, {12.7, 3.0, 12.8, 1.0}};
  const auto scales = keptWeightScales({0.1, 0.1, 0.1, 0.1}, extremes, {12.8, 12.9, 12.8, 1.0},
                                       {0.0F, 0.0F, 0.0F, 1e6F}, 0.01);
  EXPECT_EQ(scales[0], 0.1);  // -128 to 127
  EXPECT_NEAR(scales[1], 12.9 / 127, 1e-12);
  EXPECT_NEAR(scales[2], 12.8 / 127, 1e-12);
  EXPECT_NEAR(scales[3], 1e6 / 0.01 / (1 << 29), 1e-3);  // its bias would not fit
}

TEST(BalanceRounding, SumsOfTapsAndOfChannelsStayAndNoWeightLeavesItsNeighbours) {
  std::mt19937 random(10);
  std::uniform_real_distribution<float> value(-1, 1);
  const FilterLayout layout{4, 27, true};
  std::vector<float> weights(4 * 27);
  for (float& weight : weights) weight = value(random);
  QuantizedWeights quantized = quantizeWeights(weights, layout, {0.1, 0.05, 0.02, 0.01});
  balanceRounding(weights, layout, 9, {}, quantized);
  for (int c = 0; c < 4; ++c) {
    double error = 0;
    int64_t sum = 0;
    for (int i = 0; i < 27; ++i) {
      const double exact = weights[layout.index(c, i)] / quantized.scales[c];
      const int8_t q = quantized.values[layout.index(c, i)];
      EXPECT_LT(std::abs(exact - q), 1.0 + 1e-6);
      error += exact - q;
      sum += q;
    }
    EXPECT_LE(std::abs(error), 0.5 + 1e-6);
    EXPECT_EQ(sum, quantized.row_sums[c]);
  }
}

}  // namespace
}  // namespace vta::compiler
