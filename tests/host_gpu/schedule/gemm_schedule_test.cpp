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
