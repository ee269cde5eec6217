// The schedules for tensor cores that a search tries: which GPUs have them, and what they compute.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <set>

#include "driver/gpu/program_fit.h"
#include "host_gpu/backend/product_code.h"
#include "host_gpu/schedule/gemm_space.h"
#include "tests/driver/gpu/ptx/ptx_device.h"
#include "tests/host_gpu/gpu_test_support.h"
#include "tests/host_gpu/tensor/tensor_space.h"

namespace vta::codegen::testing {

void PrintTo(const SpaceCase& test, std::ostream* stream) { *stream << test.name; }

namespace {

using ::testing::HasSubstr;

constexpr GemmSpec kLargeProduct = {1, 256, 256, 512, GemmElement::kInt8};

std::vector<GemmSchedule> schedulesFor(const GemmSpec& spec, const GpuKernelLimits& limits) {
  std::vector<GemmSchedule> schedules;
  std::map<std::string, int64_t> rejected;
  visitGemmSchedules(
      spec, limits, [&](const GemmSchedule& schedule) { schedules.push_back(schedule); }, rejected);
  return schedules;
}

std::set<GemmTier> tiersOf(const std::vector<GemmSchedule>& schedules) {
  std::set<GemmTier> tiers;
  for (const GemmSchedule& schedule : schedules) tiers.insert(schedule.tier);
  return tiers;
}

TEST(TensorSpace, IsThereWhereTheGpuHasTensorCores) {
  using Tiers = std::set<GemmTier>;
  const auto tiers_on = [](const char* target) {
    return tiersOf(schedulesFor(kLargeProduct, limitsOfTarget(target)));
  };
  EXPECT_EQ(tiers_on("sm_75"), (Tiers{GemmTier::kSimt, GemmTier::kDot4}));
  const Tiers of_80 = {GemmTier::kSimt, GemmTier::kDot4, GemmTier::kTensor};
  EXPECT_EQ(tiers_on("sm_80"), of_80);
  EXPECT_EQ(tiers_on("sm_89"), of_80);
  EXPECT_EQ(tiers_on("sm_90"),
            (Tiers{GemmTier::kSimt, GemmTier::kDot4, GemmTier::kTensor, GemmTier::kGroup}));
  EXPECT_EQ(tiers_on("sm_100"), of_80);  // instructions of four warps are for one architecture
  const GemmSpec floats = {1, 256, 256, 512, GemmElement::kF32};
  EXPECT_EQ(tiersOf(schedulesFor(floats, limitsOfTarget("sm_90"))), Tiers{GemmTier::kSimt});
}

TEST(TensorSpace, AddsToWhatAGpuWithoutThemHas) {
  const std::vector<GemmSchedule> without = schedulesFor(kLargeProduct, limitsOfTarget("sm_75"));
  std::vector<GemmSchedule> plain = schedulesFor(kLargeProduct, limitsOfTarget("sm_90"));
  std::erase_if(plain, [](const GemmSchedule& schedule) { return schedule.isTensor(); });
  EXPECT_EQ(plain, without);
}

// What means nothing for a tier is not searched, and no schedule is there twice.
TEST(TensorSpace, KeepsToTheRules) {
  const GpuKernelLimits limits = limitsOfTarget("sm_90");
  for (const GemmElement element : {GemmElement::kInt8, GemmElement::kF16}) {
    GemmSpec spec = kLargeProduct;
    spec.element = element;
    std::set<std::string> seen;
    for (const GemmSchedule& schedule : schedulesFor(spec, limits)) {
      EXPECT_TRUE(seen.insert(scheduleText(schedule)).second);
      if (!schedule.isTensor()) continue;
      EXPECT_EQ(brokenRule(spec, schedule, limits), "");
      EXPECT_EQ(schedule.tile_rows, GemmSchedule().tile_rows);
      EXPECT_EQ(schedule.vector * schedule.unroll * schedule.split_depth, 1);
      EXPECT_GE(schedule.stages, 2);
    }
    EXPECT_TRUE(seen.contains(scheduleText(usualGemmSchedule(spec, limits))));
    EXPECT_EQ(usualGemmSchedule(spec, limits).tier, GemmTier::kGroup);
  }
  EXPECT_EQ(usualGemmSchedule(kLargeProduct, limitsOfTarget("sm_80")).tier, GemmTier::kTensor);
  EXPECT_EQ(usualGemmSchedule(kLargeProduct, limitsOfTarget("sm_75")),
            defaultGemmSchedule(kLargeProduct, limitsOfTarget("sm_75")));
}

TEST(TensorSpace, RegistersHoldSumsAndWaitingWords) {
  const auto rule = [](const GemmSchedule& schedule) {
    return brokenRule(kLargeProduct, schedule, limitsOfTarget("sm_90"));
  };
  GemmSchedule schedule = *defaultTensorSchedule(kLargeProduct);
  EXPECT_EQ(rule(schedule), "");
  schedule.block_rows = schedule.block_columns = 128;
  schedule.warp_rows = schedule.warp_columns = 64;
  EXPECT_THAT(rule(schedule), HasSubstr("a warp's tile of 64x64 has more than 64 sums"));
  schedule.warp_rows = schedule.warp_columns = 32;
  EXPECT_THAT(rule(schedule), HasSubstr("512 invocations are more than the 256 whose registers"));
  schedule.block_rows = schedule.warp_rows = 16;
  schedule.warp_columns = 128;
  EXPECT_THAT(rule(schedule), HasSubstr("64 words of a step are more than the 16 that wait"));
}

class TensorSpaceTest : public ::testing::TestWithParam<SpaceCase> {};

void expectSamples(const SpaceCase& test, const std::string& target, GemmTier tier) {
  const GemmSpec spec = test.layer().spec;
  const std::string code = test.code();
  constexpr size_t kSamples = 3;
  const std::vector<GemmSchedule> samples = sampleSpace(spec, target, tier, kSamples);
  ASSERT_EQ(samples.size(), kSamples);
  const std::shared_ptr<driver::GpuDevice> gpu = driver::test::openPtxDevice(target);
  for (const GemmSchedule& schedule : samples) {
    SCOPED_TRACE(scheduleText(schedule));
    const auto product = productProgram(code, schedule, limitsOfTarget(target));
    ASSERT_TRUE(product.ok()) << product.status().message();
    const auto codes = driver::chooseCodes(product->program, gpu->info());
    ASSERT_TRUE(codes.ok()) << codes.status().message();
    const std::optional<GpuLaunch>& launch = codes->front()->launch;
    ASSERT_TRUE(launch);
    EXPECT_EQ(launch->workgroup_size[0], schedule.invocations());
    EXPECT_EQ(launch->shared_bytes, sharedBytes(spec, schedule));
    expectWhatTheCpuGives(test.text, test.inputs, {gpu, driver::test::openPtxDevice("sm_75")},
                          {.schedule = schedule, .limits = limitsOfTarget(target)});
    if (::testing::Test::HasFailure()) return;
  }
}

TEST_P(TensorSpaceTest, SchedulesOfAWarpGiveWhatTheCpuDoes) {
  expectSamples(GetParam(), "sm_80", GemmTier::kTensor);
}

TEST_P(TensorSpaceTest, SchedulesOfFourWarpsGiveWhatTheCpuDoes) {
  expectSamples(GetParam(), "sm_90", GemmTier::kGroup);
}

INSTANTIATE_TEST_SUITE_P(All, TensorSpaceTest, ::testing::ValuesIn(spaceCases()),
                         [](const auto& info) { return info.param.name; });

/// The grids of the first kernel's texts for tensor cores, by target.
std::map<std::string, uint32_t> tensorGridsOf(const std::string& code, const GemmSchedule& schedule,
                                              const GpuKernelLimits& limits) {
  std::map<std::string, uint32_t> grids;
  const auto product = productProgram(code, schedule, limits);
  EXPECT_TRUE(product.ok()) << product.status().message();
  if (!product.ok()) return grids;
  for (const GpuCode& one : product->program.kernels.front().codes) {
    if (one.launch) grids[one.target] = one.launch->workgroup_size[0];
  }
  return grids;
}

// Codes for tensor cores stand in front: a GPU that is tuned for has none that would be taken in
// the place of its schedule. What others run stays.
TEST(TensorSpace, TheChosenScheduleIsTheOneThatRuns) {
  const SpaceCase test = spaceCases().front();
  const GemmSpec spec = test.layer().spec;
  const std::string code = test.code();
  const GemmSchedule plain = {.block_depth = 32, .tier = GemmTier::kDot4};
  ASSERT_EQ(brokenRule(spec, plain, {}), "");
  GemmSchedule warp = *defaultTensorSchedule(spec);
  warp.stages = 2;
  const std::string one = kTensorArchitecture, four = kGroupArchitecture;
  const auto targets = [&](const GemmSchedule& schedule, const GpuKernelLimits& limits) {
    std::set<std::string> found;
    for (const auto& [target, size] : tensorGridsOf(code, schedule, limits)) found.insert(target);
    return found;
  };
  using Targets = std::set<std::string>;
  EXPECT_EQ(targets(plain, {}), (Targets{one, four}));
  EXPECT_EQ(targets(plain, limitsOfTarget("sm_75")), (Targets{one, four}));
  EXPECT_EQ(targets(plain, limitsOfTarget("sm_80")), (Targets{four}));
  EXPECT_EQ(targets(plain, limitsOfTarget("sm_90")), (Targets{}));
  EXPECT_EQ(targets(warp, limitsOfTarget("sm_80")), (Targets{one, four}));
  EXPECT_EQ(targets(warp, limitsOfTarget("sm_90")), (Targets{one}));
  const GemmSchedule group = *defaultTensorSchedule(spec, kTensorLimits, 1, GemmTier::kGroup);
  EXPECT_EQ(targets(group, limitsOfTarget("sm_90")), (Targets{one, four}));
  EXPECT_THAT(productProgram(code, group, limitsOfTarget("sm_80")).status().message(),
              HasSubstr("the device has no tensor cores for four warps together"));
}

}  // namespace
}  // namespace vta::codegen::testing
