#include "compiler/kernel/desc/bias_folding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "compiler/kernel/desc/scalar_reference.h"
#include "compiler/kernel/desc/schedule.h"
#include "compiler/kernel/lower.h"
#include "isa/program/verify/verifier.h"
#include "tests/compiler/kernel/interpreter.h"
#include "tests/compiler/kernel/random_kernel.h"
#include "tests/compiler/kernel/sample_kernels.h"

namespace vta::kernel::testing {
namespace {

using Source = EpilogueStep::Source;

// Bias, shifts per channel, ReLU and saturation.
KernelDesc quantisedConvolution() {
  KernelDesc desc = smallConvolution();
  desc.num_params = 2;
  desc.epilogue = {{AluOpcode::kAdd, Source::kParam, 0, 0},
                   {AluOpcode::kShr, Source::kParam, 0, 1},
                   {AluOpcode::kMax, Source::kImmediate, 0, 0},
                   {AluOpcode::kMin, Source::kImmediate, 127, 0}};
  return desc;
}

// The same with a residual of finer steps: both are added with one more bit.
KernelDesc quantisedSum() {
  KernelDesc desc = quantisedConvolution();
  desc.residual.emplace();
  desc.epilogue.insert(desc.epilogue.begin() + 2, {{AluOpcode::kAdd, Source::kResidual, 0, 0},
                                                   {AluOpcode::kShr, Source::kImmediate, 1, 0}});
  return desc;
}

// A kernel's constants: biases in [-bias, bias], shifts from 1 to 15.
struct Constants {
  std::vector<int8_t> weight;
  std::vector<int32_t> param;
};
Constants randomConstants(const KernelDesc& desc, const HwConfig& hw, int32_t bias) {
  Rng rng(7);
  Operands operands = randomOperands(rng, desc, hw);
  const size_t lanes = operands.param.size() / static_cast<size_t>(desc.num_params);
  for (size_t i = 0; i < lanes; ++i) {
    operands.param[i] = static_cast<int32_t>(pick(rng, -bias, bias));
    operands.param[lanes + i] = static_cast<int32_t>(pick(rng, 1, 15));
  }
  return {operands.weight, operands.param};
}

// A step that squares, where `quantisedConvolution` shifts.
KernelDesc squaredConvolution() {
  KernelDesc desc = quantisedConvolution();
  desc.epilogue[1] = {AluOpcode::kMul, Source::kSelf, 0, 0};
  return desc;
}

bool folds(KernelDesc desc, Constants constants, const HwConfig& hw) {
  return foldBias(desc, constants.param, constants.weight, hw);
}

TEST(FoldBias, StoresTheSameBytes) {
  const HwConfig hw = compatHw();
  for (const KernelDesc& desc : {quantisedConvolution(), quantisedSum()}) {
    const Constants constants = randomConstants(desc, hw, 10000);
    KernelDesc folded = desc;
    std::vector<int32_t> param = constants.param;
    ASSERT_TRUE(foldBias(folded, param, constants.weight, hw));
    EXPECT_TRUE(folded.bias_exceeds_results);
    EXPECT_TRUE(folded.small_bias_blocks.empty());
    ASSERT_TRUE(validateKernelDesc(folded, hw).ok());
    Rng rng(3);
    const Operands operands = randomOperands(rng, desc, hw);
    EXPECT_EQ(runReference(folded, hw, operands.input, constants.weight, param, operands.residual),
              runReference(desc, hw, operands.input, constants.weight, constants.param,
                           operands.residual));
  }
}

TEST(FoldBias, RaisesBoundsAndBiasByMultiplesOf256) {
  const HwConfig hw = compatHw();
  KernelDesc desc = quantisedSum();
  Constants constants = randomConstants(desc, hw, 100);
  const std::vector<int32_t> before = constants.param;
  ASSERT_TRUE(foldBias(desc, constants.param, constants.weight, hw));
  // A shift by 1 doubles what is 255 or more above a bias of -100.
  EXPECT_EQ(desc.epilogue[4].imm, 256);
  EXPECT_EQ(desc.epilogue[5].imm, 127 + 256);
  const size_t lanes = before.size() / 2;
  for (size_t i = 0; i < lanes; ++i) {
    EXPECT_EQ(constants.param[i], before[i] + (256 << (before[lanes + i] + 1)));
    EXPECT_EQ(constants.param[lanes + i], before[lanes + i]);
  }
}

TEST(FoldBias, LeavesLargeEnoughBiasesAlone) {
  const HwConfig hw = HwConfig::makeDefault();
  KernelDesc desc = quantisedConvolution();
  desc.epilogue.resize(2);
  desc.epilogue[1] = {AluOpcode::kQmul, Source::kParam, 20, 1};
  desc.epilogue.push_back({AluOpcode::kClip, Source::kImmediate, 100 << 8, 0});
  Constants constants = randomConstants(desc, hw, 0);
  EXPECT_FALSE(folds(desc, constants, hw)) << "no wider bounds for CLIP";
  for (int32_t& value : constants.param) value += 100;
  const std::vector<int32_t> before = constants.param;
  ASSERT_TRUE(foldBias(desc, constants.param, constants.weight, hw));
  EXPECT_EQ(constants.param, before);
}

TEST(FoldBias, StaysInsideNarrowAccumulators) {
  HwParams params;
  params.acc_width_bits = 24;
  const HwConfig narrow = HwConfig::create(params).value();
  const KernelDesc desc = quantisedConvolution();
  Constants constants = randomConstants(desc, narrow, 10000);
  const size_t lanes = constants.param.size() / 2;
  for (size_t i = 0; i < lanes; ++i) constants.param[lanes + i] = 10;
  EXPECT_TRUE(folds(desc, constants, narrow));
  constants.param[lanes] = 15;  // a bias that is 256 << 15 higher has 25 bits
  EXPECT_TRUE(folds(desc, constants, HwConfig::makeDefault()));
  EXPECT_FALSE(folds(desc, constants, narrow));
}

TEST(FoldBias, RefusesWhatHasNoExactForm) {
  const HwConfig hw = compatHw();
  const KernelDesc desc = quantisedConvolution();
  const Constants constants = randomConstants(desc, hw, 10000);
  const size_t lanes = constants.param.size() / 2;
  ASSERT_TRUE(folds(desc, constants, hw));

  Constants unshifted = constants;
  unshifted.param[0] = -1;
  unshifted.param[lanes] = 0;
  unshifted.param[lanes - 1] = -1;
  unshifted.param[2 * lanes - 1] = 0;
  EXPECT_FALSE(folds(desc, unshifted, hw)) << "bias and bounds rise alike in these channels";
  Constants left = constants;
  left.param[lanes] = -1;
  EXPECT_FALSE(folds(desc, left, hw));
  EXPECT_FALSE(folds(squaredConvolution(), constants, HwConfig::makeDefault()));
  Constants large = constants;
  large.param[0] = (1 << 29) - 1;
  EXPECT_TRUE(folds(desc, large, hw));
  large.param[0] = std::numeric_limits<int32_t>::max() - 1000;
  EXPECT_FALSE(folds(desc, large, hw)) << "sums leave 32 bits";

  KernelDesc shared = desc;
  shared.epilogue[1].param = 0;
  EXPECT_FALSE(folds(shared, constants, hw));
  KernelDesc unbounded = desc;
  unbounded.epilogue.pop_back();
  EXPECT_FALSE(folds(unbounded, constants, hw));
  KernelDesc late = desc;
  std::swap(late.epilogue[0], late.epilogue[1]);
  EXPECT_FALSE(folds(late, constants, hw));
  KernelDesc pooled = desc;
  pooled.pool = Pool{4, 4, 2, 2, 2, 2, 0, 0};
  EXPECT_FALSE(folds(pooled, constants, hw)) << "what pooling leaves behind are sums";
}

TEST(FoldBias, LeavesOutBlocksWithUnshiftedChannels) {
  const HwConfig hw = compatHw();
  const KernelDesc desc = quantisedConvolution();
  Constants constants = randomConstants(desc, hw, 100);
  const size_t lanes = constants.param.size() / 2;
  constants.param[lanes - 1] = 5;
  constants.param[2 * lanes - 1] = 0;
  KernelDesc folded = desc;
  std::vector<int32_t> param = constants.param;
  ASSERT_TRUE(foldBias(folded, param, constants.weight, hw));
  EXPECT_EQ(folded.small_bias_blocks, std::vector<int32_t>{1});
  KernelDesc promised = folded;
  promised.small_bias_blocks.clear();
  promised.bias_exceeds_results = false;
  promiseBias(promised, param);
  EXPECT_EQ(promised, folded);
  Rng rng(3);
  const Operands operands = randomOperands(rng, desc, hw);
  EXPECT_EQ(runReference(folded, hw, operands.input, constants.weight, param, {}),
            runReference(desc, hw, operands.input, constants.weight, constants.param, {}));
}

TEST(FoldBias, TakesUniformBiasesAsImmediates) {
  const HwConfig hw = compatHw();
  KernelDesc desc = smallPool(KernelKind::kSumPool);
  desc.epilogue = {{AluOpcode::kAdd, Source::kImmediate, 24, 0},
                   {AluOpcode::kShr, Source::kImmediate, 6, 0},
                   {AluOpcode::kMin, Source::kImmediate, 127, 0}};
  std::vector<int32_t> none;
  ASSERT_TRUE(foldBias(desc, none, {}, hw));
  EXPECT_EQ(desc.epilogue[0].imm, 24 + (256 << 6));
  desc.epilogue[1].imm = 8;
  desc.epilogue[0].imm = 24;
  desc.bias_exceeds_results = false;
  EXPECT_FALSE(foldBias(desc, none, {}, hw)) << "the immediate has 16 bits";
}

// One MAX instead of a reset and an ADD, but for the first tile of each of two slots.
TEST(FoldBias, SavesTheResets) {
  const HwConfig hw = compatHw();
  KernelDesc desc = quantisedConvolution();
  Schedule schedule;
  schedule.tile_height = 2;
  schedule.tile_width = 8;
  schedule.tile_out_blocks = schedule.tile_in_blocks = 2;
  const auto count = [&](const auto& matches) {
    const Program program = *lower(desc, schedule, hw);
    EXPECT_TRUE(verifyProgramStatus(program, hw).ok());
    return std::ranges::count_if(program.instructions, matches);
  };
  const auto is_reset = [](const Instruction& instruction) {
    const auto* gemm = std::get_if<GemmInsn>(&instruction.body);
    return gemm != nullptr && gemm->reset;
  };
  const auto is_alu = [](const Instruction& instruction) {
    return std::holds_alternative<AluInsn>(instruction.body);
  };
  EXPECT_EQ(count(is_reset), 4);
  EXPECT_EQ(count(is_alu), 16);
  desc.bias_exceeds_results = true;
  EXPECT_EQ(count(is_reset), 2);
  EXPECT_EQ(count(is_alu), 16);
  desc.small_bias_blocks = {1};
  EXPECT_EQ(count(is_reset), 4) << "every tile holds both blocks";
  schedule.tile_out_blocks = 1;
  EXPECT_EQ(count(is_reset), 5) << "two slots, and the three tiles that come later in block 1";
  EXPECT_EQ(count(is_alu), 32);
}

}  // namespace
}  // namespace vta::kernel::testing
