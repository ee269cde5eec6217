#include "host_gpu/schedule/gemm_space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace vta::codegen {
namespace {

struct Space {
  std::vector<GemmSchedule> schedules;
  std::map<std::string, int64_t> rejected;
};

Space spaceOf(const GemmSpec& spec, const GpuKernelLimits& limits = {}) {
  Space space;
  visitGemmSchedules(
      spec, limits, [&](const GemmSchedule& schedule) { space.schedules.push_back(schedule); },
      space.rejected);
  return space;
}

std::vector<int64_t> fieldsOf(const GemmSchedule& schedule) {
  std::vector<int64_t> fields;
  for (const GemmScheduleField& field : gemmScheduleFields()) fields.push_back(field.get(schedule));
  return fields;
}

int64_t countTier(const Space& space, GemmTier tier) {
  return std::ranges::count(space.schedules, tier, &GemmSchedule::tier);
}

TEST(GemmSpaceTest, HasTheDefaultAndEverySchedulesOnce) {
  for (const GemmSpec& spec : {GemmSpec{1, 4096, 4096, 64}, GemmSpec{3, 13, 100, 27},
                               GemmSpec{1, 8, 8, 8}, GemmSpec{1, 1000, 9, 512}}) {
    const GpuKernelLimits limits{.invocations = 256, .shared_bytes = 32768};
    const Space space = spaceOf(spec, limits);
    std::set<std::vector<int64_t>> seen;
    for (const GemmSchedule& schedule : space.schedules) {
      EXPECT_EQ(brokenRule(spec, schedule, limits), "");
      EXPECT_TRUE(seen.insert(fieldsOf(schedule)).second);
    }
    EXPECT_TRUE(seen.contains(fieldsOf(defaultGemmSchedule(spec, limits))));
    EXPECT_GT(seen.size(), 1u);
  }
}

TEST(GemmSpaceTest, RulesAreCountedWithoutTheirNumbers) {
  const Space space = spaceOf({1, 64, 64, 64});
  EXPECT_GT(space.rejected.at("a tile of NxN has more than N sums"), 0);
  EXPECT_GT(space.rejected.at("N invocations are more than the N of a workgroup"), 0);
  EXPECT_GT(space.rejected.at("half of the block is outside of the result"), 0);
  for (const GemmSchedule& schedule : space.schedules) EXPECT_LE(schedule.block_rows, 64);
}

TEST(GemmSpaceTest, LargerLimitsHaveMoreSchedules) {
  const GemmSpec spec{1, 1024, 1024, 1024};
  EXPECT_GT(spaceOf(spec, {.invocations = 1024, .shared_bytes = 49152}).schedules.size(),
            spaceOf(spec).schedules.size());
}

TEST(GemmSpaceTest, TiersNeedTheirElementsAndUnits) {
  const GemmSpec floats{1, 256, 256, 256};
  GemmSpec bytes = floats;
  bytes.element = GemmElement::kInt8;
  EXPECT_EQ(countTier(spaceOf(floats), GemmTier::kDot4), 0);
  EXPECT_EQ(countTier(spaceOf(floats), GemmTier::kTensor), 0);
  for (const GemmSchedule& schedule : spaceOf(bytes, {.warp = 32}).schedules) {
    // What means nothing for a tier is not searched.
    if (schedule.tier != GemmTier::kTensor) {
      EXPECT_EQ(schedule.warp_rows, 0);
    } else {
      EXPECT_EQ(schedule.tile_rows, GemmSchedule().tile_rows);
    }
  }
}

TEST(GemmSpaceTest, WorkIsCounted) {
  const GemmWork work = countGemmWork({2, 60, 32, 20}, {16, 16, 8, 2, 4});
  EXPECT_EQ(work.workgroups, 2 * 4 * 2);
  EXPECT_EQ(work.steps, 3);
  EXPECT_EQ(work.invocations, 32);
  EXPECT_EQ(work.products, 16.0 * 16 * 16 * 24);
  EXPECT_EQ(work.shared_loads, work.products * 6 / 8);
  EXPECT_EQ(work.global_bytes, 16.0 * 32 * 24 * 4);
  EXPECT_EQ(work.shared_bytes, 32 * 8 * 4);
}

TEST(GemmSpaceTest, PartsOfTheGridShareTheStepsAndTakeMemory) {
  const GemmWork work = countGemmWork({1, 64, 64, 800}, {.split_grid = 4});
  EXPECT_EQ(work.workgroups, 4 * 16);
  EXPECT_EQ(work.steps, 25);
  EXPECT_EQ(work.products, 64.0 * 64 * 800);
  EXPECT_EQ(work.part_bytes, 2.0 * 4 * 64 * 64 * 4);
  EXPECT_EQ(countGemmWork({1, 64, 64, 800}, {}).part_bytes, 0);
}

TEST(GemmSpaceTest, PartsOfTheGridAreTriedWhereWorkgroupsAreFew) {
  const auto most_parts = [](const GemmSpec& spec) {
    int64_t most = 0;
    for (const GemmSchedule& schedule : spaceOf(spec).schedules) {
      most = std::max(most, schedule.split_grid);
    }
    return most;
  };
  EXPECT_EQ(most_parts({1, 32, 32, 4096}), 8);
  EXPECT_EQ(most_parts({1, 32, 32, 16}), 1);
  EXPECT_EQ(most_parts({64, 512, 512, 64}), 1);
  const Space space = spaceOf({1, 512, 512, 64});
  EXPECT_GT(space.rejected.at("there are workgroups enough without so many parts of the grid"), 0);
  EXPECT_GT(space.rejected.at("parts of the grid have few steps"), 0);
}

TEST(GemmSpaceTest, EstimatesPreferReuseInLargeProducts) {
  const GemmSpec spec{1, 4096, 4096, 4096};
  EXPECT_LT(estimateGemmNanoseconds(spec, {64, 64, 8, 8, 4}),
            estimateGemmNanoseconds(spec, {16, 16, 8, 2, 2}));
}

}  // namespace
}  // namespace vta::codegen
