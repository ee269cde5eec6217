#include "host_gpu/schedule/row_schedule.h"

#include <gtest/gtest.h>

namespace vta::codegen {
namespace {

TEST(RowScheduleTest, EveryRuleHasItsSentence) {
  const RowSpec spec{.rows = 10, .terms = 1000, .neighbours = 4};
  const auto rule = [&](const RowSchedule& schedule) { return brokenRule(spec, schedule, {}); };
  EXPECT_EQ(rule({4, 16, 4}), "");
  EXPECT_EQ(rule({0, 16, 1}), "a workgroup has at least 1 row, slice and term");
  EXPECT_EQ(rule({4, 12, 1}), "12 slices are not a power of two");
  EXPECT_EQ(rule({4, 16, 8}), "8 terms are not always neighbours");
  EXPECT_EQ(rule({4, 64, 1}), "256 invocations are more than the 128 of a workgroup");
  EXPECT_EQ(brokenRule({.rows = 1, .terms = 70000}, {1, 1, 1}, {}),
            "70001 rounds of loops are more than the 65535 of a device");
}

TEST(RowScheduleTest, TheDefaultBreaksNoRule) {
  for (const int64_t rows : {1, 3, 64, 1000, 100000}) {
    for (const int64_t terms : {1, 7, 49, 1000, 65536, 1000003}) {
      for (const int64_t neighbours : {1, 4}) {
        for (const int64_t invocations : {1, 5, 64, 128, 1024}) {
          const RowSpec spec{rows, terms, 3, rows % 2 == 0, neighbours};
          const GpuKernelLimits limits{.invocations = invocations};
          const std::string rule = brokenRule(spec, defaultRowSchedule(spec, limits), limits);
          if (invocations < 64 && terms > 65535) continue;  // no schedule is short enough
          EXPECT_EQ(rule, "") << rows << "x" << terms;
        }
      }
    }
  }
}

TEST(RowScheduleTest, FewLongRowsAreShared) {
  EXPECT_EQ(defaultRowSchedule({.rows = 1, .terms = 100000}, {}), (RowSchedule{1, 64, 1}));
  EXPECT_EQ(defaultRowSchedule({.rows = 1000, .terms = 512}, {}), (RowSchedule{4, 16, 1}));
  EXPECT_EQ(defaultRowSchedule({.rows = 100000, .terms = 512}, {}), (RowSchedule{64, 1, 1}));
  EXPECT_EQ(defaultRowSchedule({.rows = 100000, .terms = 512, .walks_terms = true}, {}),
            (RowSchedule{2, 32, 1}));
  EXPECT_EQ(defaultRowSchedule({.rows = 1, .terms = 9, .neighbours = 1}, {}),
            (RowSchedule{32, 2, 1}));
}

}  // namespace
}  // namespace vta::codegen
