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
  EXPECT_EQ(brokenRule({1, 8, 8, 60000}, {16, 16, 8, 2, 2}, {}),
            "75004 rounds of loops are more than the 65535 of a device");
  EXPECT_EQ(rule({16, 16, 8, 2, 2, 0, 0, /*stages=*/0}),
            "stages, parts of the depth and unrolled steps are at least 1");
  EXPECT_EQ(rule({16, 16, 8, 2, 2, 0, 0, /*stages=*/3}),
            "3 stages are more than the 2 of kernels without tensor cores");
  EXPECT_EQ(rule({.vector = 3}), "3 elements are not copied together: 1, 2 or 4 are");
  EXPECT_EQ(rule({.block_depth = 16, .stages = 2, .vector = 4}), "");
  EXPECT_EQ(rule({.split_grid = 14}),
            "14 parts of the grid are more than the 13 steps of the depth");
  EXPECT_EQ(rule({.split_grid = 0}),
            "stages, parts of the depth and unrolled steps are at least 1");
  EXPECT_EQ(brokenRule({40000, 8, 8, 100}, {.split_grid = 2}, {}),
            "80000 workgroups are more than the 65535 of one direction");
  EXPECT_EQ(brokenRule({1, 4096, 4096, 100}, {.split_grid = 3}, {}),
            "the sums of 3 parts take 201326592 bytes, which are more than the 134217728 of a "
            "buffer");
  EXPECT_EQ(rule({.unroll = 3}), "3 unrolled products do not divide steps of 8");
  EXPECT_EQ(rule({.unroll = 8}), "8 unrolled products leave no loop of a step");
  EXPECT_EQ(rule({.block_rows = 18, .vector = 4}),
            "4 elements that are copied together do not divide the 18 of a block");
  EXPECT_EQ(rule({.tier = GemmTier::kDot4}), "only bytes have products of four");
  EXPECT_EQ(rule({.warp_rows = 16, .warp_columns = 16, .tier = GemmTier::kTensor}),
            "the device has no tensor cores");
  EXPECT_EQ(rule({.tier = GemmTier::kTensor}), "extents of blocks and tiles are at least 1");
}

TEST(GemmScheduleTest, PartsOfTheDepthAndStagesTakeMemory) {
  const GemmSpec floats{1, 100, 100, 100};
  EXPECT_EQ(sharedBytes(floats, {16, 16, 8, 2, 2}), 1024);
  EXPECT_EQ(sharedBytes(floats, {.stages = 2}), 2048);
  EXPECT_EQ(sharedBytes(floats, {.split_depth = 2}), 2048 + 1024);
  const GemmSpec bytes{1, 100, 100, 100, GemmElement::kInt8};
  EXPECT_EQ(sharedBytes(bytes, {.block_depth = 32, .tier = GemmTier::kDot4}), 1024);
  EXPECT_EQ(brokenRule(bytes, {.block_depth = 32, .tier = GemmTier::kDot4}, {}), "");
  const GemmSpec halves{1, 100, 100, 100, GemmElement::kF16};
  const GemmSchedule warps{.block_rows = 64,
                           .block_columns = 64,
                           .block_depth = 32,
                           .warp_rows = 32,
                           .warp_columns = 32,
                           .stages = 2,
                           .tier = GemmTier::kTensor};
  EXPECT_EQ(warps.invocations(), 128);
  EXPECT_EQ(sharedBytes(halves, warps), 16384);
  EXPECT_EQ(brokenRule(halves, warps, {.warp = 32}), "");
}

TEST(GemmScheduleTest, PartsOfTheGridHaveWholeSteps) {
  const GemmSpec spec{2, 100, 90, 100};
  EXPECT_EQ(partDepth(spec, {}), 104);
  EXPECT_EQ(partDepth(spec, {.split_grid = 3}), 40);
  EXPECT_EQ(partDepth(spec, {.split_depth = 2, .split_grid = 3}), 48);
  EXPECT_EQ(partBytes(spec, {}), 0);
  EXPECT_EQ(partBytes(spec, {.split_grid = 3}), 3 * 2 * 100 * 90 * 4);
  EXPECT_EQ(workgroupsOf(spec, {.split_grid = 3}), 3 * 2 * 7 * 6);
  EXPECT_EQ(loopRounds(spec, {.split_grid = 3}), 5 * (9 + 1) + 1 + 2 + 1);
}

TEST(GemmScheduleTest, TheGridSharesTheDepthWhereResultsAreFewAndTheDepthIsLong) {
  const auto parts = [](const GemmSpec& spec) { return defaultGemmSchedule(spec, {}).split_grid; };
  EXPECT_GT(parts({1, 64, 64, 8192}), 1);
  EXPECT_GT(parts({1, 64, 64, 8192, GemmElement::kInt8}), 1);
  EXPECT_EQ(parts({1, 64, 64, 128}), 1);
  EXPECT_EQ(parts({1, 2048, 2048, 8192}), 1);
  EXPECT_EQ(parts({64, 64, 64, 8192}), 1);
  EXPECT_EQ(
      defaultTensorSchedule({1, 64, 64, 8192, GemmElement::kInt8}, kTensorLimits, 8)->split_grid,
      8);
  EXPECT_FALSE(defaultTensorSchedule({1, 64, 64, 100, GemmElement::kInt8}, kTensorLimits, 8));
}

TEST(GemmScheduleTest, TensorCoresHaveTheirRules) {
  const GemmSpec bytes{1, 100, 100, 100, GemmElement::kInt8};
  const GemmSchedule good = *defaultTensorSchedule(bytes);
  const auto rule = [&](auto change, GemmElement element = GemmElement::kInt8) {
    GemmSchedule schedule = good;
    change(schedule);
    return brokenRule({1, 100, 100, 100, element}, schedule, kTensorLimits);
  };
  const auto same = [](GemmSchedule&) {};
  EXPECT_EQ(rule(same), "");
  EXPECT_EQ(rule(same, GemmElement::kInt32), "tensor cores multiply bytes and half floats");
  EXPECT_EQ(rule(same, GemmElement::kF16),
            "steps with tensor cores have 64 bytes of the whole depth");
  EXPECT_EQ(rule([](GemmSchedule& s) { s.stages = 1; }),
            "copies for tensor cores run ahead by one step or more");
  EXPECT_EQ(rule([](GemmSchedule& s) { s.split_grid = 2; }), "");
  EXPECT_EQ(rule([](GemmSchedule& s) { s.split_grid = 3; }),
            "3 parts of the grid are more than the 2 steps of the depth");
  EXPECT_EQ(rule([](GemmSchedule& s) { s.warp_rows = 8; }),
            "tiles of 8x16 are no multiples of 16x16");
  EXPECT_EQ(rule([](GemmSchedule& s) {
              s.block_rows = s.warp_rows = 16;
              s.block_columns = 64;
            }),
            "128 invocations do not share the copies of 16 and 64 rows evenly");
}

TEST(GemmScheduleTest, FourWarpsHaveTheirRules) {
  const GemmSpec bytes{1, 200, 200, 100, GemmElement::kInt8};
  const auto rule = [&](auto change) {
    GemmSchedule schedule =
        *defaultTensorSchedule(bytes, kTensorLimits, /*split_grid=*/1, GemmTier::kGroup);
    change(schedule);
    return brokenRule(bytes, schedule, kTensorLimits);
  };
  EXPECT_EQ(rule([](GemmSchedule&) {}), "");
  for (const auto change :
       {+[](GemmSchedule& s) { s.warp_rows = 32; }, +[](GemmSchedule& s) { s.block_rows = 32; }}) {
    EXPECT_EQ(rule(change),
              "warps that multiply together have 16 rows each, and four of them a part of the "
              "block");
  }
  EXPECT_EQ(rule([](GemmSchedule& s) { s.warp_columns = 16; }),
            "warps that multiply together have all columns of a block, 256 at most");
  EXPECT_EQ(rule([](GemmSchedule& s) { s.stages = 1; }),
            "copies for tensor cores run ahead by one step or more");
}

TEST(GemmScheduleTest, TheDefaultForTensorCoresBreaksNoRule) {
  for (const GemmElement element : {GemmElement::kInt8, GemmElement::kF16}) {
    for (const int64_t rows : {8, 13, 64, 1000}) {
      for (const int64_t columns : {8, 31, 196, 12544}) {
        for (const GemmTier tier : {GemmTier::kTensor, GemmTier::kGroup}) {
          const GemmSpec spec{2, rows, columns, 27, element};
          const auto schedule = defaultTensorSchedule(spec, kTensorLimits, 1, tier);
          ASSERT_TRUE(schedule);
          EXPECT_EQ(schedule->tier, tier);
          EXPECT_EQ(brokenRule(spec, *schedule, kTensorLimits), "");
        }
      }
    }
  }
  const GemmSpec large{1, 4096, 4096, 64, GemmElement::kInt8};
  EXPECT_EQ(defaultTensorSchedule(large)->block_rows, 128);
  EXPECT_EQ(sharedBytes(large, *defaultTensorSchedule(large)), kTensorLimits.shared_bytes);
  EXPECT_FALSE(defaultTensorSchedule({1, 64, 64, 64, GemmElement::kF32}));
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
  EXPECT_EQ(schedule.tier, GemmTier::kDot4);
  gemmScheduleFields()[12].set(schedule, 2);
  EXPECT_EQ(schedule.tier, GemmTier::kTensor);
}

TEST(GemmScheduleTest, TheDefaultBreaksNoRule) {
  for (const int64_t rows : {8, 13, 64, 100, 1000}) {
    for (const int64_t columns : {8, 31, 64, 196, 12544}) {
      for (const int64_t depth : {8, 27, 576, 60000, 200000}) {
        for (const int64_t shared_bytes : {1024, 4096, 16384}) {
          if (depth == 200000 && shared_bytes < 16384) continue;  // parts take memory
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
  EXPECT_EQ(schedule({1, 12, 12, 64}), (GemmSchedule{.vector = 2}));
  const GemmSchedule of_bytes = schedule({1, 12, 12, 64, GemmElement::kInt8});
  EXPECT_EQ(of_bytes.tier, GemmTier::kDot4);
  EXPECT_EQ(of_bytes.block_depth, 32);
}

}  // namespace
}  // namespace vta::codegen
