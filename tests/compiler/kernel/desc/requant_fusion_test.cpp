#include "compiler/kernel/desc/requant_fusion.h"

#include <gtest/gtest.h>

#include "compiler/kernel/desc/scalar_reference.h"
#include "tests/compiler/kernel/random_kernel.h"
#include "tests/compiler/kernel/sample_kernels.h"

namespace vta::kernel::testing {
namespace {

using Source = EpilogueStep::Source;
const int32_t kClipToByte = byteRangeImmediate({-128, 127});

HwConfig withRequant() {
  HwParams params;
  params.ext_requant = true;
  return HwConfig::create(params).value();
}

KernelDesc withEpilogue(std::vector<EpilogueStep> steps, int64_t num_params) {
  KernelDesc desc = smallConvolution();
  desc.num_params = num_params;
  desc.epilogue = std::move(steps);
  return desc;
}

/// Runs both kernels on random operands, with multipliers that QMUL takes whole.
void expectSameResults(const KernelDesc& desc) {
  const HwConfig hw = withRequant();
  ASSERT_TRUE(validateKernelDesc(desc, hw).ok());
  const auto fusion = findRequant(desc, hw);
  ASSERT_TRUE(fusion);
  ASSERT_TRUE(validateKernelDesc(fusion->desc, hw).ok())
      << validateKernelDesc(fusion->desc, hw).message();
  Rng rng(3);
  Operands operands = randomOperands(rng, desc, hw);
  for (int32_t& value : operands.param) value = static_cast<int32_t>(pick(rng, -131072, 131071));
  const std::vector<int32_t> param = fuseParams(*fusion, operands.param, hw);
  EXPECT_EQ(
      runReference(fusion->desc, hw, operands.input, operands.weight, param, operands.residual),
      runReference(desc, hw, operands.input, operands.weight, operands.param, operands.residual));
}

TEST(RequantFusion, BiasMultiplierAndBounds) {
  const KernelDesc desc = withEpilogue({{AluOpcode::kAdd, Source::kParam, 0, 0},
                                        {AluOpcode::kQmul, Source::kParam, 20, 1},
                                        {AluOpcode::kClip, Source::kImmediate, kClipToByte, 0}},
                                       2);
  const auto fusion = findRequant(desc, withRequant());
  ASSERT_TRUE(fusion);
  EXPECT_EQ(fusion->desc.epilogue,
            (std::vector<EpilogueStep>{{AluOpcode::kRequant, Source::kParam, kClipToByte, 0}}));
  EXPECT_EQ(fusion->desc.num_params, 2);
  expectSameResults(desc);
}

TEST(RequantFusion, BiasThatIsAnImmediateOrMissing) {
  expectSameResults(withEpilogue({{AluOpcode::kAdd, Source::kImmediate, -77, 0},
                                  {AluOpcode::kQmul, Source::kParam, 17, 0},
                                  {AluOpcode::kClip, Source::kImmediate, kClipToByte, 0}},
                                 1));
  expectSameResults(withEpilogue({{AluOpcode::kQmul, Source::kParam, 17, 0},
                                  {AluOpcode::kClip, Source::kImmediate, kClipToByte, 0}},
                                 1));
}

// Vectors that other steps use stay, behind the pair.
TEST(RequantFusion, OtherStepsKeepTheirParameters) {
  const KernelDesc desc = withEpilogue({{AluOpcode::kAdd, Source::kParam, 0, 2},
                                        {AluOpcode::kQmul, Source::kParam, 18, 0},
                                        {AluOpcode::kClip, Source::kImmediate, kClipToByte, 0},
                                        {AluOpcode::kAdd, Source::kParam, 0, 1},
                                        {AluOpcode::kQmul, Source::kParam, 19, 0}},
                                       3);
  const auto fusion = findRequant(desc, withRequant());
  ASSERT_TRUE(fusion);
  EXPECT_EQ(fusion->kept, (std::vector<int32_t>{1, 0}));
  EXPECT_EQ(fusion->desc.num_params, 4);
  expectSameResults(desc);
}

TEST(RequantFusion, ResidualStepsKeepTheirs) {
  KernelDesc desc = withEpilogue({{AluOpcode::kAdd, Source::kResidual, 0, 0},
                                  {AluOpcode::kQmul, Source::kParam, 18, 0},
                                  {AluOpcode::kClip, Source::kImmediate, kClipToByte, 0}},
                                 2);
  desc.residual = Residual{{{AluOpcode::kQmul, Source::kParam, 3, 1}}};
  const auto fusion = findRequant(desc, withRequant());
  ASSERT_TRUE(fusion);
  EXPECT_EQ(fusion->desc.epilogue.front().source, Source::kResidual) << "no bias of a channel";
  expectSameResults(desc);
}

// Sums wrap, so the bias may be added behind the residual.
TEST(RequantFusion, BiasInFrontOfAResidual) {
  KernelDesc desc = withEpilogue({{AluOpcode::kAdd, Source::kParam, 0, 0},
                                  {AluOpcode::kAdd, Source::kResidual, 0, 0},
                                  {AluOpcode::kQmul, Source::kParam, 18, 1},
                                  {AluOpcode::kClip, Source::kImmediate, kClipToByte, 0}},
                                 2);
  desc.residual = Residual{};
  const auto fusion = findRequant(desc, withRequant());
  ASSERT_TRUE(fusion);
  EXPECT_EQ(fusion->desc.epilogue.size(), 2u);
  EXPECT_EQ(fusion->bias, 0);
  expectSameResults(desc);
}

TEST(RequantFusion, ASumWithItselfIsNoBias) {
  const KernelDesc desc = withEpilogue({{AluOpcode::kAdd, Source::kImmediate, 77, 0},
                                        {AluOpcode::kAdd, Source::kSelf, 0, 0},
                                        {AluOpcode::kQmul, Source::kParam, 18, 0},
                                        {AluOpcode::kClip, Source::kImmediate, kClipToByte, 0}},
                                       1);
  EXPECT_EQ(findRequant(desc, withRequant())->desc.epilogue.size(), 3u) << "a bias would double";
  expectSameResults(desc);
}

TEST(RequantFusion, NotWhereItIsNotTheSame) {
  const EpilogueStep qmul = {AluOpcode::kQmul, Source::kParam, 20, 0};
  const EpilogueStep clip = {AluOpcode::kClip, Source::kImmediate, kClipToByte, 0};
  const EpilogueStep add = {AluOpcode::kAdd, Source::kImmediate, 1, 0};
  EXPECT_FALSE(findRequant(withEpilogue({qmul}, 1), withRequant()));
  EXPECT_FALSE(findRequant(withEpilogue({qmul, add, clip}, 1), withRequant()));
  const auto minimum = EpilogueStep{AluOpcode::kMin, Source::kImmediate, 9, 0};
  EXPECT_EQ(
      findRequant(withEpilogue({add, minimum, qmul, clip}, 1), withRequant())->desc.epilogue.size(),
      3u)
      << "an ADD in front of anything else stays";
  EXPECT_FALSE(findRequant(withEpilogue({qmul, clip}, 1), HwConfig::makeDefault()));
  EXPECT_TRUE(findRequant(withEpilogue({qmul, clip}, 1), withRequant()));
}

TEST(RequantFusion, ThePairIsItsOwn) {
  const HwConfig hw = withRequant();
  const EpilogueStep requant = {AluOpcode::kRequant, Source::kParam, kClipToByte, 0};
  EXPECT_TRUE(validateKernelDesc(withEpilogue({requant}, 2), hw).ok());
  EXPECT_FALSE(validateKernelDesc(withEpilogue({requant}, 1), hw).ok());
  EXPECT_FALSE(
      validateKernelDesc(withEpilogue({requant, {AluOpcode::kAdd, Source::kParam, 0, 1}}, 2), hw)
          .ok());
  EXPECT_TRUE(
      validateKernelDesc(withEpilogue({requant, {AluOpcode::kAdd, Source::kParam, 0, 2}}, 3), hw)
          .ok());
}

}  // namespace
}  // namespace vta::kernel::testing
