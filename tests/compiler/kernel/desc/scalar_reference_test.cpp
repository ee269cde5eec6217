#include "compiler/kernel/desc/scalar_reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "tests/compiler/kernel/sample_kernels.h"

namespace vta::kernel::testing {
namespace {

using ::testing::ElementsAre;

constexpr int32_t kMax = std::numeric_limits<int32_t>::max();
constexpr int32_t kMin = std::numeric_limits<int32_t>::min();

int32_t alu(AluOpcode opcode, int32_t x, int32_t y, int32_t imm = 0) {
  return applyAlu(opcode, x, y, imm, HwParams{});
}

int32_t narrowAlu(AluOpcode opcode, int32_t x, int32_t y, int32_t imm = 0) {
  HwParams params;
  params.acc_width_bits = 24;
  return applyAlu(opcode, x, y, imm, params);
}

TEST(ApplyAlu, WrapsAndSaturatesToNarrowAccumulators) {
  constexpr int32_t kMost = (1 << 23) - 1;
  EXPECT_EQ(narrowAlu(AluOpcode::kAdd, kMost, 1), -kMost - 1);
  EXPECT_EQ(narrowAlu(AluOpcode::kMul, 1 << 12, 1 << 11), -kMost - 1);
  EXPECT_EQ(narrowAlu(AluOpcode::kShr, 3, -23), -kMost - 1);
  EXPECT_EQ(narrowAlu(AluOpcode::kShr, 3, -24), 0);
  EXPECT_EQ(narrowAlu(AluOpcode::kQmul, kMost, 3, 1), kMost);
  EXPECT_EQ(narrowAlu(AluOpcode::kQmul, kMost, -3, 1), -kMost - 1);
  EXPECT_EQ(narrowAlu(AluOpcode::kMin, kMost, -kMost - 1), -kMost - 1);
}

TEST(ApplyAlu, WrapsAdditionAndMultiplication) {
  EXPECT_EQ(alu(AluOpcode::kMin, -3, 2), -3);
  EXPECT_EQ(alu(AluOpcode::kMax, -3, 2), 2);
  EXPECT_EQ(alu(AluOpcode::kAdd, kMax, 1), kMin);
  EXPECT_EQ(alu(AluOpcode::kMul, 1 << 30, 4), 0);
  EXPECT_EQ(alu(AluOpcode::kMul, -7, 6), -42);
}

TEST(ApplyAlu, ShiftsByTheLowSixBits) {
  EXPECT_EQ(alu(AluOpcode::kShr, -5, 1), -3);
  EXPECT_EQ(alu(AluOpcode::kShr, 5, 31), 0);
  EXPECT_EQ(alu(AluOpcode::kShr, -5, 31), -1);
  EXPECT_EQ(alu(AluOpcode::kShr, 5, -2), 20);
  EXPECT_EQ(alu(AluOpcode::kShr, 5, -31), kMin);
  EXPECT_EQ(alu(AluOpcode::kShr, 5, -32), 0);
  EXPECT_EQ(alu(AluOpcode::kShr, 5, 64 + 1), 2) << "bit 6 and above do not count";
  EXPECT_EQ(alu(AluOpcode::kShr, 5, 63), 10) << "63 is -1 in six bits";
}

TEST(ApplyAlu, QmulRoundsTiesAwayFromZeroAndSaturates) {
  EXPECT_EQ(alu(AluOpcode::kQmul, 3, 1, 1), 2);
  EXPECT_EQ(alu(AluOpcode::kQmul, -3, 1, 1), -2);
  EXPECT_EQ(alu(AluOpcode::kQmul, 5, 1, 2), 1);
  EXPECT_EQ(alu(AluOpcode::kQmul, 100, 7, 0), 700);
  EXPECT_EQ(alu(AluOpcode::kQmul, kMax, 1000, 1), kMax);
  EXPECT_EQ(alu(AluOpcode::kQmul, kMin, 1000, 1), kMin);
  EXPECT_EQ(alu(AluOpcode::kQmul, 2, (1 << 18) | 3, 0), 6) << "18-bit multiplier";
  EXPECT_EQ(alu(AluOpcode::kQmul, 2, (1 << 18) - 1, 0), -2) << "the multiplier is signed";
}

TEST(ApplyAlu, ClipTakesPackedBounds) {
  const int32_t bounds = 0xfb | 6 << 8;  // [-5, 6]
  EXPECT_EQ(alu(AluOpcode::kClip, -9, 0, bounds), -5);
  EXPECT_EQ(alu(AluOpcode::kClip, 9, 0, bounds), 6);
  EXPECT_EQ(alu(AluOpcode::kClip, 3, 0, bounds), 3);
}

// One pixel, one block each way, batch 1, 8x8 block: easy to compute by hand.
HwConfig tinyBlocks() {
  HwParams params = HwConfig::makeDefault().params();
  params.block_in = params.block_out = 8;
  return *HwConfig::create(params);
}

TEST(RunReference, ContractsWithPaddingOfEitherKind) {
  KernelDesc desc;
  desc.geometry.kernel_width = 2;
  desc.geometry.pad_left = 1;  // tap 0 reads padding, tap 1 the pixel
  std::vector<int8_t> weight(2 * 64, 0);
  weight[0] = 3;       // tap 0, output 0, input 0
  weight[64 + 1] = 2;  // tap 1, output 0, input 1
  const std::vector<int8_t> input = {0, 10, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(runReference(desc, tinyBlocks(), input, weight, {}, {})[0], 20);
  desc.geometry.pad_value = -128;
  EXPECT_EQ(runReference(desc, tinyBlocks(), input, weight, {}, {})[0],
            static_cast<int8_t>(20 - 3 * 128));
}

TEST(RunReference, PoolsMaximumAndSum) {
  KernelDesc desc;
  desc.geometry.in_width = 2;
  desc.geometry.kernel_width = 2;
  std::vector<int8_t> input(16, -4);
  input[8] = -7;
  desc.kind = KernelKind::kMaxPool;
  EXPECT_EQ(runReference(desc, tinyBlocks(), input, {}, {}, {})[0], -4);
  desc.kind = KernelKind::kSumPool;
  EXPECT_EQ(runReference(desc, tinyBlocks(), input, {}, {}, {})[0], -11);
  EXPECT_EQ(runReference(desc, tinyBlocks(), input, {}, {}, {})[1], -8);
}

TEST(RunReference, PoolsAccumulatorsBeforeTheEpilogue) {
  KernelDesc desc;
  desc.geometry.in_width = desc.geometry.out_width = 3;
  desc.epilogue = {{AluOpcode::kAdd, EpilogueStep::Source::kImmediate, -100, 0}};
  // Windows of 2 from place -1 on: padding takes no part, not even where all values are negative.
  desc.pool = Pool{1, 2, 1, 2, 1, 2, 0, 1};
  std::vector<int8_t> weight(64, 0);
  weight[0] = 2;
  std::vector<int8_t> input(3 * 8, 0);
  input[0] = -4;
  input[8] = -7;
  input[16] = 60;
  const std::vector<int8_t> output = runReference(desc, tinyBlocks(), input, weight, {}, {});
  ASSERT_EQ(output.size(), 2u * 8);
  EXPECT_EQ(output[0], -108);
  EXPECT_EQ(output[8], 20);
}

TEST(RunReference, AppliesParametersAndTheResidualAfterItsSteps) {
  using Source = EpilogueStep::Source;
  KernelDesc desc;
  desc.kind = KernelKind::kElementwise;
  desc.num_params = 2;
  desc.epilogue = {{AluOpcode::kAdd, Source::kParam, 0, 1},
                   {AluOpcode::kAdd, Source::kResidual, 0, 0}};
  desc.residual = Residual{{{AluOpcode::kShr, Source::kImmediate, -1, 0}}};
  const std::vector<int8_t> input(8, 1);
  const std::vector<int8_t> residual(8, 5);
  std::vector<int32_t> param(16, 100);
  for (int lane = 0; lane < 8; ++lane) param[8 + lane] = lane;
  EXPECT_THAT(runReference(desc, tinyBlocks(), input, {}, param, residual),
              ElementsAre(11, 12, 13, 14, 15, 16, 17, 18));
}

// (x^2 + 2 r) r + 2 r with r = the residual + 1.
TEST(RunReference, SquaresAndUsesTheResidualAgain) {
  using Source = EpilogueStep::Source;
  KernelDesc desc;
  desc.kind = KernelKind::kElementwise;
  const EpilogueStep add = {AluOpcode::kAdd, Source::kResidual, 0, 0};
  desc.epilogue = {{AluOpcode::kMul, Source::kSelf, 0, 0},     add, add,
                   {AluOpcode::kMul, Source::kResidual, 0, 0}, add, add};
  desc.residual = Residual{{{AluOpcode::kAdd, Source::kImmediate, 1, 0}}};
  const std::vector<int8_t> input = {0, 1, 2, 3, 4, -1, -2, -3};
  const std::vector<int8_t> residual(8, 2);
  EXPECT_THAT(runReference(desc, tinyBlocks(), input, {}, {}, residual),
              ElementsAre(24, 27, 36, 51, 72, 27, 36, 51));
}

TEST(RunReference, StoresOutputsAtTheirPlaces) {
  KernelDesc desc;
  desc.kind = KernelKind::kElementwise;
  Geometry& g = desc.geometry;
  g.in_width = g.out_width = 2;
  g.interleave_x = 2;
  const auto firstLanes = [&](const std::vector<int8_t>& input) {
    std::vector<int8_t> lanes;
    const std::vector<int8_t> output = runReference(desc, tinyBlocks(), input, {}, {}, {});
    for (size_t i = 0; i < output.size(); i += 8) lanes.push_back(output[i]);
    return lanes;
  };
  std::vector<int8_t> input(16, 0);
  input[0] = 1;
  input[8] = 2;
  EXPECT_THAT(firstLanes(input), ElementsAre(1, 1, 2, 2));
  g.crop_left = 1;
  EXPECT_THAT(firstLanes(input), ElementsAre(1, 2, 2));
  g.phases = g.groups = g.in_channel_blocks = g.out_channel_blocks = 2;
  input.resize(32, 0);
  input[16] = 3;
  input[24] = 4;
  EXPECT_THAT(firstLanes(input), ElementsAre(3, 2, 4));
}

TEST(RunReference, StoresOutputsBeyondTheImage) {
  KernelDesc desc;
  desc.kind = KernelKind::kElementwise;
  Geometry& g = desc.geometry;
  g.in_width = g.out_width = 3;
  std::vector<int8_t> input(24, 0);
  input[0] = 1;
  input[8] = 2;
  input[16] = 3;
  const auto firstLanes = [&](Border border) {
    g.border = border;
    std::vector<int8_t> lanes;
    const std::vector<int8_t> output = runReference(desc, tinyBlocks(), input, {}, {}, {});
    for (size_t i = 0; i < output.size(); i += 8) lanes.push_back(output[i]);
    return lanes;
  };
  g.crop_left = -2;
  g.crop_right = -1;
  EXPECT_THAT(firstLanes(Border::kEdge), ElementsAre(1, 1, 1, 2, 3, 3));
  EXPECT_THAT(firstLanes(Border::kReflect), ElementsAre(3, 2, 1, 2, 3, 2));
  EXPECT_THAT(firstLanes(Border::kWrap), ElementsAre(2, 3, 1, 2, 3, 1));
  g.crop_right = 2;  // rolled
  EXPECT_THAT(firstLanes(Border::kWrap), ElementsAre(2, 3, 1));
}

}  // namespace
}  // namespace vta::kernel::testing
