#include "compiler/kernel/schedule/fusion.h"

#include <gtest/gtest.h>

#include "compiler/kernel/schedule/schedule_space.h"
#include "tests/compiler/kernel/sample_kernels.h"

namespace vta::kernel::testing {
namespace {

KernelDesc convolution() {
  KernelDesc desc = smallConvolution();
  desc.epilogue = {{AluOpcode::kShr, EpilogueStep::Source::kImmediate, 8, 0},
                   {AluOpcode::kMax, EpilogueStep::Source::kImmediate, 0, 0},
                   {AluOpcode::kMin, EpilogueStep::Source::kImmediate, 127, 0}};
  return desc;
}

KernelDesc pooling() {
  KernelDesc desc = smallPool(KernelKind::kMaxPool);
  desc.geometry.pad_value = -128;
  return desc;
}

TEST(FusePool, MakesOneKernelOfTwo) {
  for (const HwConfig& hw : {HwConfig::makeDefault(), compatHw()}) {
    const auto fused = fusePool(convolution(), pooling(), hw);
    ASSERT_TRUE(fused);
    EXPECT_EQ(fused->name, "conv+pool");
    EXPECT_EQ(fused->outHeight(), 4);
    EXPECT_EQ(fused->outWidth(), 4);
    EXPECT_EQ(fused->pool, (Pool{4, 4, 3, 3, 2, 2, 1, 1}));
    EXPECT_TRUE(defaultSchedule(*fused, hw).ok());
  }
}

TEST(FusePool, ZerosTakeNoPartWhereNothingIsBelow) {
  const HwConfig hw = HwConfig::makeDefault();
  KernelDesc pool = pooling();
  pool.geometry.pad_value = 0;
  KernelDesc conv = convolution();
  EXPECT_TRUE(fusePool(conv, pool, hw));
  conv.epilogue[1].imm = -1;
  EXPECT_FALSE(fusePool(conv, pool, hw));
  conv.epilogue[1].imm = 256;  // stored as 0
  conv.epilogue[2].imm = 256 + 127;
  EXPECT_TRUE(fusePool(conv, pool, hw));
  conv.epilogue[1].imm = 255;
  EXPECT_FALSE(fusePool(conv, pool, hw));
  conv.epilogue = {{AluOpcode::kClip, EpilogueStep::Source::kImmediate, 127 << 8, 0}};
  EXPECT_TRUE(fusePool(conv, pool, hw));
  conv.epilogue.push_back({AluOpcode::kAdd, EpilogueStep::Source::kImmediate, -1, 0});
  EXPECT_FALSE(fusePool(conv, pool, hw));
}

TEST(FusePool, LeavesTwoKernelsWhereOneWouldBeAnother) {
  const HwConfig hw = HwConfig::makeDefault();
  KernelDesc conv = convolution();
  conv.residual.emplace();
  conv.epilogue.push_back({AluOpcode::kAdd, EpilogueStep::Source::kResidual, 0, 0});
  EXPECT_FALSE(fusePool(conv, pooling(), hw)) << "a residual comes between";
  KernelDesc sum = pooling();
  sum.kind = KernelKind::kSumPool;
  EXPECT_FALSE(fusePool(convolution(), sum, hw));
  KernelDesc steps = pooling();
  steps.epilogue = convolution().epilogue;
  EXPECT_FALSE(fusePool(convolution(), steps, hw));
  KernelDesc overlapping = pooling();
  overlapping.geometry.stride_y = 1;
  overlapping.geometry.out_height = 8;
  EXPECT_FALSE(fusePool(convolution(), overlapping, hw));
}

TEST(FusePool, LeavesTwoKernelsWhereOneDoesNotFit) {
  const HwConfig hw = withParams([](HwParams& p) { p.acc_buf_bytes = 4 * 64; });
  EXPECT_TRUE(defaultSchedule(convolution(), hw).ok());
  EXPECT_FALSE(fusePool(convolution(), pooling(), hw));
}

}  // namespace
}  // namespace vta::kernel::testing
