#include "compiler/quantize/plan/exact_rescale.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "compiler/quantize/plan/alu_arithmetic.h"

namespace vta::compiler {
namespace {

constexpr IntRange kInt8{};
constexpr int kBits = 18;

// What the steps give, as the ALU computes it; fails where the ALU would saturate or wrap.
int64_t computed(const ExactSteps& steps, size_t c, int64_t sum, IntRange clip) {
  const int64_t scaled = qmul(sum, steps.first[c], steps.first_shift);
  EXPECT_EQ(scaled, static_cast<int32_t>(scaled));
  const int64_t shifted = scaled + steps.offset[c];
  EXPECT_EQ(shifted, static_cast<int32_t>(shifted));
  return std::clamp(qmul(shifted, steps.second[c], steps.second_shift), clip.lo, clip.hi);
}

// Both results that are right: they differ where the real one is half-way between two integers.
std::pair<int64_t, int64_t> wanted(const ExactChannel& channel, int64_t sum, int64_t zero_point,
                                   IntRange clip) {
  const long double real =
      static_cast<long double>(channel.factor) * static_cast<long double>(sum + channel.bias);
  const auto rounded = [&](long double value) {
    return std::clamp(static_cast<int64_t>(value) + zero_point, clip.lo, clip.hi);
  };
  return {rounded(std::ceil(real - 0.5L)), rounded(std::floor(real + 0.5L))};
}

void expectExact(const std::vector<ExactChannel>& channels, int64_t zero_point, IntRange clip,
                 const ExactSteps& steps) {
  for (size_t c = 0; c < channels.size(); ++c) {
    // Every sum where there are few, else a part of them that differs from channel to channel.
    const ExactChannel& channel = channels[c];
    const int64_t stride = 1 + (channel.largest_sum - channel.least_sum) / 20011;
    for (int64_t sum = channel.least_sum; sum <= channel.largest_sum; sum += stride) {
      const int64_t result = computed(steps, c, sum, clip);
      const auto [least, largest] = wanted(channel, sum, zero_point, clip);
      ASSERT_TRUE(result == least || result == largest)
          << "channel " << c << ", sum " << sum << ": " << result << ", not " << least;
    }
  }
}

// A layer of `channels` channels as networks have them: sums reach further than results do.
std::vector<ExactChannel> randomLayer(std::mt19937& random, size_t channels) {
  std::uniform_real_distribution<double> log_factor(-10, -5), spread(-3, 0), reach(1, 8);
  std::vector<ExactChannel> layer;
  const double largest = std::exp2(log_factor(random));
  for (size_t c = 0; c < channels; ++c) {
    const double factor = largest * std::exp2(spread(random));
    const auto sums = static_cast<int64_t>(128 * reach(random) / factor);
    std::uniform_int_distribution<int64_t> bias(-sums / 2, sums / 2);
    layer.push_back({factor, bias(random), -sums, sums});
  }
  return layer;
}

TEST(FindExactSteps, GiveEveryResultOfLayersLikeThoseOfNetworks) {
  std::mt19937 random(21);
  std::uniform_int_distribution<int64_t> zero_point(-128, 127);
  int found = 0;
  constexpr int kLayers = 40;
  for (int trial = 0; trial < kLayers; ++trial) {
    const auto layer = randomLayer(random, 32);
    const int64_t zero = trial % 2 == 0 ? -128 : zero_point(random);
    const auto steps = findExactSteps(layer, zero, kInt8, kBits);
    if (!steps) continue;
    ++found;
    expectExact(layer, zero, kInt8, *steps);
  }
  EXPECT_GE(found, kLayers * 9 / 10);
}

TEST(FindExactSteps, GiveEveryResultOfOneTensorThatChangesItsScale) {
  std::mt19937 random(22);
  std::uniform_real_distribution<double> log_factor(-4, 3);
  std::uniform_int_distribution<int64_t> zero_point(-128, 127);
  for (int trial = 0; trial < 200; ++trial) {
    const std::vector<ExactChannel> tensor{
        {std::exp2(log_factor(random)), zero_point(random), -128, 127}};
    const int64_t zero = zero_point(random);
    const auto steps = findExactSteps(tensor, zero, kInt8, kBits);
    ASSERT_TRUE(steps) << tensor[0].factor;
    expectExact(tensor, zero, kInt8, *steps);
  }
}

TEST(FindExactSteps, TakesHalvesEitherWayWherePowersOfTwoMakeMany) {
  const std::vector<ExactChannel> layer{{0x1p-6, 100, -30000, 30000},
                                        {0x1p-9, -7, -200000, 200000}};
  const auto steps = findExactSteps(layer, 3, kInt8, kBits);
  ASSERT_TRUE(steps);
  expectExact(layer, 3, kInt8, *steps);
}

TEST(FindExactSteps, LooksOnlyAtWhatTheClipLeaves) {
  const std::vector<ExactChannel> layer{{0.00123, 5000, -900000, 900000}};
  const IntRange clip{-100, 20};
  const auto steps = findExactSteps(layer, -100, clip, kBits);
  ASSERT_TRUE(steps);
  expectExact(layer, -100, clip, *steps);
}

TEST(FindExactSteps, ChannelsThatNeverStepCostTheOthersNothing) {
  // A bias far beyond the range on either side, and weights that are all zero.
  const std::vector<ExactChannel> layer{{0.0015, 80'000'000, -120'000, 120'000},
                                        {0.0015, -80'000'000, -120'000, 120'000},
                                        {0.0015, 3000, 0, 0},
                                        {0.0007, 1200, -200'000, 200'000}};
  const auto steps = findExactSteps(layer, -128, kInt8, kBits);
  ASSERT_TRUE(steps);
  expectExact(layer, -128, kInt8, *steps);
}

TEST(FindExactSteps, RefusesMultipliersThatAreTooNarrow) {
  const std::vector<ExactChannel> layer{{0.000123, 0, -5'000'000, 5'000'000}};
  EXPECT_TRUE(findExactSteps(layer, 0, kInt8, kBits));
  EXPECT_FALSE(findExactSteps(layer, 0, kInt8, 8));
}

TEST(FindExactSteps, StayInsideNarrowAccumulators) {
  constexpr int kAccBits = 24;
  const std::vector<ExactChannel> layer{{0.0123, 500, -20'000, 20'000}};
  const auto wide = findExactSteps(layer, -5, kInt8, kBits);
  const auto narrow = findExactSteps(layer, -5, kInt8, kBits, kAccBits);
  ASSERT_TRUE(wide && narrow);
  expectExact(layer, -5, kInt8, *narrow);
  const auto largest = [&](const ExactSteps& steps) {
    int64_t most = 0;
    for (const int64_t sum : {layer[0].least_sum, layer[0].largest_sum}) {
      const int64_t scaled = qmul(sum, steps.first[0], steps.first_shift);
      most = std::max({most, std::abs(scaled), std::abs(scaled + steps.offset[0])});
    }
    return most;
  };
  EXPECT_LT(largest(*narrow), 1 << (kAccBits - 1));
  EXPECT_GE(largest(*wide), 1 << (kAccBits - 1));
}

TEST(FindExactSteps, RefusesWhatDoesNotFitThirtyTwoBits) {
  EXPECT_FALSE(findExactSteps({{1.0, 0, -(1LL << 31), 1LL << 31}}, 0, kInt8, kBits));
  EXPECT_FALSE(findExactSteps({{1e6, 0, -128, 127}}, 0, kInt8, kBits));
}

}  // namespace
}  // namespace vta::compiler
