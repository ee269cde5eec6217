#include "host_gpu/schedule/gemm_schedule.h"

#include <gtest/gtest.h>

namespace vta::codegen {
namespace {

TEST(GemmScheduleTest, EveryRuleHasItsSentence) {
  const GemmSpec spec{1, 100, 100, 100};
  const auto rule = [&](const GemmSchedule& schedule, const GpuKernelLimits& limits = {}) {
    return brokenRule(spec, schedule, limits);
  };
  EXPECT_EQ(rule({16, 16, 8, 2, 2}), "");
  EXPECT_EQ(rule({16, 16, 0, 2, 2}), "extents of blocks and tiles are at least 1");
  EXPECT_EQ(rule({16, 16, 8, 3, 2}), "tiles of 3x2 do not divide a block of 16x16");
  EXPECT_EQ(rule({64, 64, 8, 16, 8}), "a tile of 16x8 has more than 64 sums");
  EXPECT_EQ(rule({64, 64, 8, 4, 4}), "256 invocations are more than the 128 of a workgroup");
  EXPECT_EQ(rule({64, 64, 64, 8, 4}),
            "32768 bytes are more than the 16384 that a workgroup shares");
  EXPECT_EQ(rule({16, 16, 3, 2, 2}),
            "64 invocations do not share the copies of 16x3 and 3x16 elements evenly");
  EXPECT_EQ(brokenRule({70000, 8, 8, 8}, {16, 16, 8, 2, 2}, {}),
            "70000 workgroups are more than the 65535 of one direction");
  EXPECT_EQ(rule({16, 16, 8, 2, 2, 0, 0, /*stages=*/0}),
            "stages, parts of the depth and unrolled steps are at least 1");
  EXPECT_EQ(rule({16, 16, 8, 2, 2, 0, 0, /*stages=*/3}),
            "3 stages are more than the 2 of kernels without tensor cores");
  EXPECT_EQ(rule({.vector = 3}), "3 elements are not copied together: 1, 2 or 4 are");
  EXPECT_EQ(rule({.unroll = 3}), "3 unrolled products do not divide steps of 8");
  EXPECT_EQ(rule({.tier = GemmTier::kDot4}),
            "only bytes whose depth lies in words have products of four");
  EXPECT_EQ(rule({.warp_rows = 16, .warp_columns = 16, .tier = GemmTier::kTensor}),
            "the device has no tensor cores");
  EXPECT_EQ(rule({.tier = GemmTier::kTensor}), "extents of blocks and tiles are at least 1");
}

TEST(GemmScheduleTest, PartsOfTheDepthAndStagesTakeMemory) {
  const GemmSpec floats{1, 100, 100, 100};
  EXPECT_EQ(sharedBytes(floats, {16, 16, 8, 2, 2}), 1024);
  EXPECT_EQ(sharedBytes(floats, {.stages = 2}), 2048);
  EXPECT_EQ(sharedBytes(floats, {.split_depth = 2}), 2048 + 1024);
  const GemmSpec bytes{1, 100, 100, 100, GemmElement::kInt8, /*has_depth_in_words=*/true};
  EXPECT_EQ(sharedBytes(bytes, {.block_depth = 32, .tier = GemmTier::kDot4}), 1024);
  EXPECT_EQ(brokenRule(bytes, {.block_depth = 32, .tier = GemmTier::kDot4}, {}), "");
  const GemmSpec halves{1, 100, 100, 100, GemmElement::kF16};
  const GemmSchedule warps{.block_rows = 64,
                           .block_columns = 64,
                           .block_depth = 32,
                           .warp_rows = 32,
                           .warp_columns = 32,
                           .tier = GemmTier::kTensor};
  EXPECT_EQ(warps.invocations(), 128);
  EXPECT_EQ(sharedBytes(halves, warps), 8192);
  EXPECT_EQ(brokenRule(halves, warps, {.warp = 32}), "");
}

TEST(GemmScheduleTest, FieldsHaveNames) {
  GemmSchedule schedule;
  int64_t value = 0;
  for (const GemmScheduleField& field : gemmScheduleFields()) {
    field.set(schedule, ++value % 2);
    EXPECT_EQ(field.get(schedule), value % 2) << field.name;
  }
  EXPECT_EQ(gemmScheduleFields().front().name, "block_rows");
  EXPECT_EQ(schedule.block_rows, 1);
  EXPECT_EQ(schedule.tier, GemmTier::kSimt);
  gemmScheduleFields()[11].set(schedule, 2);
  EXPECT_EQ(schedule.tier, GemmTier::kTensor);
}

TEST(GemmScheduleTest, TheDefaultBreaksNoRule) {
  for (const int64_t rows : {8, 13, 64, 100, 1000}) {
    for (const int64_t columns : {8, 31, 64, 196, 12544}) {
      for (const int64_t depth : {8, 27, 576}) {
        for (const int64_t shared_bytes : {1024, 4096, 16384}) {
          const GemmSpec spec{2, rows, columns, depth};
          const GpuKernelLimits limits{.shared_bytes = shared_bytes};
          EXPECT_EQ(brokenRule(spec, defaultGemmSchedule(spec, limits), limits), "");
        }
      }
    }
  }
}

TEST(GemmScheduleTest, TheDefaultFillsItsBlocks) {
  const auto schedule = [](const GemmSpec& spec) { return defaultGemmSchedule(spec, {}); };
  EXPECT_EQ(schedule({1, 4096, 4096, 64}).block_rows, 64);
  EXPECT_EQ(schedule({1, 4096, 4096, 64}).block_columns, 64);
  EXPECT_EQ(schedule({1, 12, 12, 64}), (GemmSchedule{16, 16, 8, 2, 2}));
}

}  // namespace
}  // namespace vta::codegen
