#include "compiler/kernel/desc/schedule.h"

#include <gmock/gmock.h>

#include <set>

#include "compiler/kernel/plan/kernel_plan.h"
#include "tests/compiler/kernel/sample_kernels.h"

namespace vta::kernel::testing {
namespace {

using ::testing::HasSubstr;

TEST(ScheduleFields, ReadAndWriteOneMemberEach) {
  std::set<std::string> keys, labels;
  for (const ScheduleField& field : scheduleFields()) {
    SCOPED_TRACE(field.key);
    EXPECT_TRUE(keys.insert(field.key).second && labels.insert(field.label).second);
    const Schedule usual;
    const int64_t other = field.get(usual) == field.least ? field.least + 1 : field.least;
    ASSERT_TRUE(field.isLegal(field.get(usual)) && field.isLegal(other));
    Schedule changed;
    field.set(changed, other);
    EXPECT_EQ(field.get(changed), other);
    EXPECT_NE(changed, usual);
    EXPECT_NE(changed.toString(), usual.toString());
    EXPECT_EQ(countDifferences(changed, usual), 1);
    field.set(changed, field.get(usual));
    EXPECT_EQ(changed, usual);
  }
}

TEST(ScheduleFields, TapsOfAStepAreOneDecision) {
  const Schedule usual;
  EXPECT_EQ(countDifferences(usual, usual), 0);
  EXPECT_EQ(countDifferences({.tile_kernel_height = 1, .tile_kernel_width = 1}, usual), 1);
  EXPECT_EQ(countDifferences({.tile_height = 2, .tile_width = 2}, usual), 2);
}

// What the table calls illegal does not fit any kernel, and the error names field and limit.
TEST(ScheduleFields, RangesAreChecked) {
  const HwConfig hw = HwConfig::makeDefault();
  for (const ScheduleField& field : scheduleFields()) {
    if (field.kind != ScheduleField::Kind::kNumber) continue;
    SCOPED_TRACE(field.key);
    const KernelDesc desc = smallConvolution();
    const int64_t most = field.extent ? field.extent(desc.geometry) : field.most;
    for (const auto& [value, limit] : {std::pair(field.least - 1, field.least), {most + 1, most}}) {
      Schedule schedule;
      field.set(schedule, value);
      const Status status = checkSchedule(desc, schedule, hw);
      EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
      EXPECT_THAT(status.message(),
                  HasSubstr(std::string(field.key) + " is " + std::to_string(value) +
                            ", the limit " + std::to_string(limit)));
    }
  }
}

}  // namespace
}  // namespace vta::kernel::testing
