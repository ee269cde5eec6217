#include "compiler/quantize/wide/wide_steps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace vta::compiler {
namespace {

// What the ALU computes, and what STORE keeps of it.
int8_t storedLane(const WideSteps& steps, size_t lane, int32_t accumulator) {
  uint32_t value = static_cast<uint32_t>(accumulator) + static_cast<uint32_t>(steps.bias[lane]);
  const int32_t clamped =
      std::min(std::max(static_cast<int32_t>(value), steps.least[lane]), steps.most[lane]);
  value = static_cast<uint32_t>(clamped);
  for (const std::vector<int32_t>& row : steps.shifts) {
    const int32_t amount = row[lane];
    value = amount < 0 ? value << -amount
                       : static_cast<uint32_t>(static_cast<int32_t>(value) >> amount);
  }
  return static_cast<int8_t>(value);
}

class WideStepsTest : public testing::TestWithParam<ShiftLimits> {};

TEST_P(WideStepsTest, BothPartsAreDigitsOfOneRoundedNumber) {
  std::mt19937 random(3);
  for (int shift = 1; shift <= std::min(GetParam().right, kMostWideShift); ++shift) {
    const QuantParams out{0.1, static_cast<int64_t>(random() % 256) - 128};
    const double clip_min = -1.0, clip_max = 2.0;
    const WideSteps steps = wideSteps({37.0}, {shift}, clip_min, clip_max, out, GetParam());
    ASSERT_EQ(steps.bias.size(), 2U);
    std::uniform_int_distribution<int32_t> accumulators(-(200 << shift), 200 << shift);
    for (int i = 0; i < 2000; ++i) {
      const int32_t accumulator = accumulators(random);
      const int high = storedLane(steps, 0, accumulator), low = storedLane(steps, 1, accumulator);
      EXPECT_GE(low, -8);
      EXPECT_LE(low, 7);
      const double zero = static_cast<double>(out.zero_point);
      double exact = std::ldexp(accumulator + 37.0, -shift);
      exact = std::clamp(exact, clip_min / out.scale, clip_max / out.scale);
      exact = std::clamp(exact + zero, -128.0, 127.4375) - zero;
      // Half a step of the low part; the clip's bounds are rounded to accumulators.
      EXPECT_NEAR(high - zero + low / 16.0, exact, 1.0 / 32 + std::ldexp(1.0, -shift))
          << accumulator;
    }
  }
}

TEST_P(WideStepsTest, ZeroHasNoLowPart) {
  const WideSteps steps =
      wideSteps({0.0}, {9}, 0, std::numeric_limits<double>::infinity(), {0.5, 0}, GetParam());
  for (const int32_t accumulator : {0, -1, -5000}) {
    EXPECT_EQ(storedLane(steps, 0, accumulator), 0);
    EXPECT_EQ(storedLane(steps, 1, accumulator), 0);
  }
}

TEST_P(WideStepsTest, NoInstructionShiftsFurtherThanHardwareCan) {
  for (int shift = 1; shift <= std::min(GetParam().right, kMostWideShift); ++shift) {
    const WideSteps steps = wideSteps({0.0, 1.0}, {shift, 1}, -1, 1, {0.01, 5}, GetParam());
    for (const std::vector<int32_t>& row : steps.shifts) {
      ASSERT_EQ(row.size(), 4U);
      for (const int32_t amount : row) {
        EXPECT_GE(amount, -GetParam().left);
        EXPECT_LE(amount, GetParam().right);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Hardware, WideStepsTest,
                         testing::Values(ShiftLimits(), ShiftLimits{16, 15}), [](const auto& info) {
                           return info.param.left == 31 ? "ours" : "v0_0_2";
                         });

TEST(WideWeightsTest, LowPartsFollowTheirChannels) {
  // Two filters of two channels with two taps.
  const std::vector<float> weights = {1.0F, -1.0F, 0.5F, 0.25F, 0.1F, 0.2F, -0.3F, 0.4F};
  const FilterLayout layout{2, 4, true};
  QuantizedWeights quantized = quantizeWeights(weights, layout, {1.0 / 127, 0.4 / 127});
  const std::vector<int8_t> wide = withLowInputs(quantized, weights, layout, 2, {});
  EXPECT_EQ(wide, (std::vector<int8_t>{127, -127, 8, -8, 64, 32, 4, 2,  //
                                       32, 64, 2, 4, -95, 127, -6, 8}));
  EXPECT_EQ(withLowOutputs({1, 2, 3, 4}, 2), (std::vector<int8_t>{1, 2, 1, 2, 3, 4, 3, 4}));
}

}  // namespace
}  // namespace vta::compiler
