#include "compiler/vta/partition/fuse_pool.h"

#include <gtest/gtest.h>

namespace vta::compiler {
namespace {

using kernel::EpilogueStep;

GroupStep immediate(AluOpcode opcode, int32_t imm) {
  GroupStep step;
  step.opcode = opcode;
  step.imm = imm;
  return step;
}

GroupStep param(AluOpcode opcode, std::vector<int32_t> values, int32_t shift = 0) {
  GroupStep step;
  step.opcode = opcode;
  step.source = EpilogueStep::Source::kParam;
  step.imm = shift;
  step.channel_param = std::move(values);
  return step;
}

const GroupStep kClip = immediate(AluOpcode::kClip, 0x7f80);

TEST(IsMonotone, ForWhatQuantisationEmits) {
  const std::vector<int64_t> bounds = {1000, 2'000'000};
  EXPECT_TRUE(isMonotone(
      {param(AluOpcode::kAdd, {-5, 70000}), param(AluOpcode::kQmul, {0, 130000}, 24), kClip},
      bounds));
  EXPECT_TRUE(isMonotone({param(AluOpcode::kAdd, {-5, 70000}), param(AluOpcode::kShr, {3, 9}),
                          immediate(AluOpcode::kMax, -128), immediate(AluOpcode::kMin, 127)},
                         bounds));
  EXPECT_TRUE(isMonotone({immediate(AluOpcode::kMul, 3), kClip}, bounds));
  EXPECT_TRUE(isMonotone({immediate(AluOpcode::kShr, -2), kClip}, bounds));
}

TEST(IsMonotone, NotWhereASignTurnsOrAValueWraps) {
  const std::vector<int64_t> bounds = {1000, 2'000'000};
  EXPECT_FALSE(isMonotone({param(AluOpcode::kQmul, {1, -1}, 3), kClip}, bounds)) << "falls";
  EXPECT_FALSE(isMonotone({immediate(AluOpcode::kMul, -1), kClip}, bounds)) << "falls";
  EXPECT_FALSE(isMonotone({immediate(AluOpcode::kMul, 2000), kClip}, bounds)) << "wraps";
  EXPECT_FALSE(isMonotone({immediate(AluOpcode::kShr, -12), kClip}, bounds)) << "wraps";
  EXPECT_FALSE(isMonotone({param(AluOpcode::kAdd, {2147483647, 0}), kClip}, bounds)) << "wraps";
  EXPECT_FALSE(isMonotone({kClip}, {int64_t{1} << 31})) << "the sum itself wraps";
  EXPECT_TRUE(isMonotone({kClip}, {(1 << 23) - 1}, 24));
  EXPECT_FALSE(isMonotone({kClip}, {1 << 23}, 24)) << "the sum wraps in 24 bits";
  EXPECT_TRUE(isMonotone({immediate(AluOpcode::kMul, 5), kClip}, bounds));
  EXPECT_FALSE(isMonotone({immediate(AluOpcode::kMul, 5), kClip}, bounds, 24)) << "wraps";
  EXPECT_FALSE(isMonotone({}, bounds)) << "only the low byte is stored";
  EXPECT_FALSE(isMonotone({immediate(AluOpcode::kMin, 127)}, bounds)) << "no lower bound";
  EXPECT_FALSE(isMonotone({param(AluOpcode::kAdd, {1}), kClip}, bounds)) << "too few values";
  GroupStep residual;
  residual.source = EpilogueStep::Source::kResidual;
  EXPECT_FALSE(isMonotone({residual, kClip}, bounds));
  GroupStep square;
  square.opcode = AluOpcode::kMul;
  square.source = EpilogueStep::Source::kSelf;
  EXPECT_FALSE(isMonotone({square, kClip}, {100}));
}

}  // namespace
}  // namespace vta::compiler
