#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/kernel/lower.h"
#include "compiler/kernel/plan/kernel_plan.h"
#include "compiler/kernel/schedule/cost_model.h"
#include "compiler/kernel/schedule/schedule_space.h"
#include "tests/compiler/kernel/random_kernel.h"
#include "tests/compiler/kernel/sample_kernels.h"

namespace vta::kernel::testing {
namespace {

using ::testing::HasSubstr;

TEST(EnumerateSchedules, AreLegalDistinctAndContainTheDefault) {
  const HwConfig hw = HwConfig::makeDefault();
  for (const KernelDesc& desc : {smallConvolution(), smallPool(KernelKind::kMaxPool)}) {
    const std::vector<Schedule> schedules = enumerateSchedules(desc, hw);
    EXPECT_GT(schedules.size(), 50u);
    for (const Schedule& s : schedules) {
      ASSERT_TRUE(checkSchedule(desc, s, hw).ok()) << s.toString();
      ASSERT_EQ(std::count(schedules.begin(), schedules.end(), s), 1) << s.toString();
    }
    const Result<Schedule> best = defaultSchedule(desc, hw);
    ASSERT_TRUE(best.ok());
    EXPECT_EQ(std::count(schedules.begin(), schedules.end(), *best), 1) << best->toString();
    EXPECT_EQ(enumerateSchedules(desc, hw), schedules);
  }
}

TEST(EnumerateSchedules, OfAnInvalidKernelAreNone) {
  KernelDesc desc = smallConvolution();
  desc.geometry.groups = 3;
  EXPECT_TRUE(enumerateSchedules(desc, HwConfig::makeDefault()).empty());
  EXPECT_THAT(defaultSchedule(desc, HwConfig::makeDefault()).status().message(),
              HasSubstr("groups 3"));
}

TEST(DefaultSchedule, IsTheCheapestOfItsThreads) {
  const HwConfig hw = HwConfig::makeDefault();
  const KernelDesc desc = smallConvolution();
  const Result<Schedule> best = defaultSchedule(desc, hw);
  ASSERT_TRUE(best.ok());
  const double cycles = estimateCost(desc, *best, hw).cycles;
  for (const Schedule& s : enumerateSchedules(desc, hw)) {
    if (s.virtual_threads != 2 || s.tile_kernel_height != 0) continue;
    EXPECT_LE(cycles, estimateCost(desc, s, hw).cycles) << s.toString();
  }
}

// Buffers of a few elements: one pixel, one block, one tap at a time.
TEST(DefaultSchedule, ExistsForBuffersOfAFewElements) {
  HwParams params = HwConfig::makeDefault().params();
  params.inp_buf_bytes = 64;   // 4 elements
  params.wgt_buf_bytes = 512;  // 2 elements
  params.acc_buf_bytes = 256;  // 4 elements
  params.uop_buf_bytes = 16;   // 4 micro-ops, two beats of the bus: the fewest that are legal
  const Result<HwConfig> hw = HwConfig::create(params);
  ASSERT_TRUE(hw.ok()) << hw.status().message();
  Rng rng(11);
  for (int round = 0; round < 200; ++round) {
    const KernelDesc desc = randomKernel(rng, *hw);
    const Result<Schedule> schedule = defaultSchedule(desc, *hw);
    ASSERT_TRUE(schedule.ok()) << describe(desc) << ": " << schedule.status().message();
    ASSERT_TRUE(checkRunnable(desc, *hw).ok()) << describe(desc);
    ASSERT_TRUE(lower(desc, *schedule, *hw).ok());
  }
}

TEST(DefaultSchedule, NamesWhatIsMissingWhenNothingFits) {
  HwParams params = HwConfig::makeDefault().params();
  params.acc_buf_bytes = 128;  // two elements: tile and residual, but no parameter beside them
  const Result<HwConfig> hw = HwConfig::create(params);
  ASSERT_TRUE(hw.ok()) << hw.status().message();
  using Source = EpilogueStep::Source;
  KernelDesc desc = smallConvolution();
  desc.residual = Residual{{{AluOpcode::kAdd, Source::kParam, 0, 0}}};
  desc.epilogue = {{AluOpcode::kAdd, Source::kResidual, 0, 0}};
  const Status status = defaultSchedule(desc, *hw).status();
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(status.message(), HasSubstr("no schedule fits"));
  EXPECT_THAT(status.message(), HasSubstr("ACC buffer elements is 3, the limit 2"));
  EXPECT_EQ(checkRunnable(desc, *hw).message(), status.message());
}

}  // namespace
}  // namespace vta::kernel::testing
