#include "compiler/kernel/weights/weight_factors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "compiler/kernel/desc/scalar_reference.h"
#include "compiler/kernel/plan/kernel_plan.h"
#include "isa/spec/narrow_weights.h"
#include "tests/compiler/kernel/random_kernel.h"
#include "tests/compiler/kernel/sample_kernels.h"

namespace vta::kernel::testing {
namespace {

using ::testing::HasSubstr;

HwConfig hwWithWeightsOf(int width_bits) {
  HwParams params = HwConfig::makeDefault().params();
  params.name = "narrow";
  params.block_in = 4;
  params.block_out = 8;
  params.batch = 2;
  params.wgt_width_bits = width_bits;
  params.ext_depthwise = false;
  return *HwConfig::create(params);
}

// `in_blocks` blocks to 2, 2x3 taps.
Geometry geometryOf(int64_t in_blocks) {
  Geometry g;
  g.in_channel_blocks = in_blocks;
  g.out_channel_blocks = 2;
  g.in_height = g.in_width = 5;
  g.kernel_height = 2;
  g.kernel_width = 3;
  g.out_height = 4;
  g.out_width = 3;
  return g;
}

int64_t weightsOf(const Geometry& g, const HwConfig& hw) {
  return g.out_channel_blocks * g.inBlocksPerGroup() * g.weightElems() * hw.blockIn() *
         hw.blockOut();
}

// Integers of the hardware's width, times an odd factor for each channel and `factor_blocks` input
// blocks, and a power of two for each channel.
std::vector<int8_t> productsWithFactors(Rng& rng, const Geometry& g, const HwConfig& hw,
                                        int64_t factor_blocks) {
  const auto [least, most] = weightRange(hw.params().wgt_width_bits);
  const int64_t channels = g.out_channel_blocks * hw.blockOut();
  const int64_t groups = (g.inBlocksPerGroup() + factor_blocks - 1) / factor_blocks;
  std::vector<int64_t> powers, factors;
  for (int64_t i = 0; i < channels; ++i) powers.push_back(pick(rng, 0, 1));
  for (int64_t i = 0; i < channels * groups; ++i) factors.push_back(2 * pick(rng, 0, 3) + 1);
  std::vector<int8_t> weights;
  for (int64_t i = 0; i < weightsOf(g, hw); ++i) {
    const int64_t row = i / hw.blockIn(), block = row / hw.blockOut() / g.weightElems();
    const int64_t channel = block / g.inBlocksPerGroup() * hw.blockOut() + row % hw.blockOut();
    const int64_t group = block % g.inBlocksPerGroup() / factor_blocks;
    const int64_t factor = factors[static_cast<size_t>(channel * groups + group)]
                           << powers[static_cast<size_t>(channel)];
    weights.push_back(static_cast<int8_t>(pick(rng, least, most) * factor));
  }
  return weights;
}

KernelDesc contraction(const Geometry& g) {
  KernelDesc desc;
  desc.name = "weights";
  desc.geometry = g;
  desc.num_params = 1;
  // Outputs of 8 bits show 16 bits of the sums.
  desc.epilogue = {{AluOpcode::kAdd, EpilogueStep::Source::kParam, 0, 0},
                   {AluOpcode::kShr, EpilogueStep::Source::kImmediate, 4, 0}};
  return desc;
}

TEST(WeightFactors, GiveTheSameResults) {
  Rng rng(7);
  for (const int width_bits : {4, 2}) {
    const HwConfig hw = hwWithWeightsOf(width_bits);
    for (int64_t in_blocks = 1; in_blocks <= 7; ++in_blocks) {
      const Geometry g = geometryOf(in_blocks);
      const int64_t factor_blocks = pick(rng, 1, in_blocks);
      const std::vector<int8_t> weights = productsWithFactors(rng, g, hw, factor_blocks);
      const auto factored = factorWeights(weights, g, hw);
      ASSERT_TRUE(factored) << in_blocks << " blocks, factors for " << factor_blocks;
      EXPECT_TRUE(fitWeights(factored->weights, hw));
      EXPECT_GE(factored->factor_blocks, factor_blocks);

      const KernelDesc plain = contraction(g);
      KernelDesc with_factors = plain;
      with_factors.factor_blocks = factored->factor_blocks;
      with_factors.num_params += with_factors.numFactors();
      ASSERT_TRUE(validateKernelDesc(with_factors, hw).ok());
      Operands operands = randomOperands(rng, plain, hw);
      const auto expected = runReference(plain, hw, operands.input, weights, operands.param, {});
      operands.param.insert(operands.param.end(), factored->params.begin(), factored->params.end());
      EXPECT_EQ(
          runReference(with_factors, hw, operands.input, factored->weights, operands.param, {}),
          expected);
    }
  }
}

// What the sums in between look like does not matter, even where accumulators have fewer bits.
TEST(WeightFactors, GiveTheSameResultsInNarrowAccumulators) {
  Rng rng(3);
  HwParams params = hwWithWeightsOf(4).params();
  params.acc_width_bits = 24;
  params.ext_requant = params.ext_lut = false;
  const HwConfig hw = *HwConfig::create(params);
  const Geometry g = geometryOf(4);
  const std::vector<int8_t> weights = productsWithFactors(rng, g, hw, 1);
  const auto factored = factorWeights(weights, g, hw);
  ASSERT_TRUE(factored);
  const KernelDesc plain = contraction(g);
  KernelDesc with_factors = plain;
  with_factors.factor_blocks = factored->factor_blocks;
  with_factors.num_params += with_factors.numFactors();
  Operands operands = randomOperands(rng, plain, hw);
  const auto expected = runReference(plain, hw, operands.input, weights, operands.param, {});
  operands.param.insert(operands.param.end(), factored->params.begin(), factored->params.end());
  EXPECT_EQ(runReference(with_factors, hw, operands.input, factored->weights, operands.param, {}),
            expected);
}

TEST(WeightFactors, HaveTheLargestGroups) {
  const HwConfig hw = hwWithWeightsOf(4);
  const Geometry g = geometryOf(4);
  const int64_t block = g.weightElems() * hw.blockIn() * hw.blockOut();
  std::vector<int8_t> weights(static_cast<size_t>(weightsOf(g, hw)), 14);
  EXPECT_EQ(factorWeights(weights, g, hw)->factor_blocks, 4);
  // The second half of the input blocks has another factor.
  for (int64_t out = 0; out < 2; ++out) {
    const auto half = weights.begin() + (4 * out + 2) * block;
    std::fill(half, half + 2 * block, 15);
  }
  EXPECT_EQ(factorWeights(weights, g, hw)->factor_blocks, 2);
}

TEST(WeightFactors, ZerosTakeAnyFactor) {
  const HwConfig hw = hwWithWeightsOf(4);
  const Geometry g = geometryOf(2);
  std::vector<int8_t> weights(static_cast<size_t>(weightsOf(g, hw)), 0);
  const auto zeros = factorWeights(weights, g, hw);
  ASSERT_TRUE(zeros);
  EXPECT_THAT(zeros->params, ::testing::Each(1));
  weights.front() = -128;
  const auto one = factorWeights(weights, g, hw);
  ASSERT_TRUE(one);
  EXPECT_EQ(one->weights.front(), -1);
  EXPECT_EQ(one->params.front(), 128);
}

TEST(WeightFactors, CannotHelpWeightsThatShareNone) {
  const HwConfig hw = hwWithWeightsOf(4);
  const Geometry g = geometryOf(2);
  std::vector<int8_t> weights(static_cast<size_t>(weightsOf(g, hw)), 1);
  EXPECT_TRUE(fitWeights(weights, hw));
  weights.front() = 9;
  EXPECT_FALSE(fitWeights(weights, hw));
  EXPECT_FALSE(factorWeights(weights, g, hw));
}

TEST(WeightFactors, AreChecked) {
  const HwConfig hw = hwWithWeightsOf(4);
  const auto messageOf = [&](auto change) {
    KernelDesc desc = contraction(geometryOf(3));
    desc.factor_blocks = 2;
    desc.num_params = 3;
    change(desc);
    return validateKernelDesc(desc, hw).message();
  };
  EXPECT_EQ(messageOf([](KernelDesc&) {}), "");
  EXPECT_THAT(messageOf([](KernelDesc& desc) { desc.factor_blocks = 4; }),
              HasSubstr("factor_blocks is 4; it must be 0 to 3"));
  EXPECT_THAT(messageOf([](KernelDesc& desc) { desc.factor_blocks = -1; }),
              HasSubstr("factor_blocks is -1"));
  EXPECT_THAT(messageOf([](KernelDesc& desc) {
                desc.num_params = 1;
                desc.epilogue.clear();
              }),
              HasSubstr("2 factors and 0 other parameters need more than 1"));
  EXPECT_THAT(messageOf([](KernelDesc& desc) { desc.bias_exceeds_results = true; }),
              HasSubstr("cannot begin with the bias"));
  EXPECT_THAT(messageOf([](KernelDesc& desc) {
                desc.kind = KernelKind::kSumPool;
                desc.geometry.in_channel_blocks = desc.geometry.groups = 2;
                desc.factor_blocks = 1;
              }),
              HasSubstr("a contraction with weights of its own"));
  KernelDesc desc = smallConvolution();
  desc.factor_blocks = 1;
  desc.num_params = 2;
  EXPECT_THAT(validateKernelDesc(desc, compatHw()).message(), HasSubstr("need MUL"));
}

// Taps in several steps: the sums of some blocks have to be whole before their factor.
TEST(WeightFactors, LimitTheStepsOfAReduction) {
  const HwConfig hw = hwWithWeightsOf(4);
  KernelDesc desc = contraction(geometryOf(4));
  desc.factor_blocks = 2;
  desc.num_params = 3;
  Schedule schedule;
  schedule.tile_kernel_height = 1;
  for (const auto& [in_blocks, fits] : {std::pair{1, true}, {2, true}, {3, false}, {4, false}}) {
    schedule.tile_in_blocks = in_blocks;
    EXPECT_EQ(checkSchedule(desc, schedule, hw).ok(), fits) << in_blocks;
  }
  EXPECT_THAT(checkSchedule(desc, schedule, hw).message(),
              HasSubstr("factor_blocks modulo tile_in_blocks"));
  schedule.tile_kernel_height = 0;
  EXPECT_TRUE(checkSchedule(desc, schedule, hw).ok());
}

}  // namespace
}  // namespace vta::kernel::testing
