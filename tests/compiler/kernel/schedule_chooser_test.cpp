#include "compiler/kernel/schedule_chooser.h"

#include <gtest/gtest.h>

#include "tests/compiler/kernel/sample_kernels.h"

namespace vta::kernel::testing {
namespace {

/// Answers `first` to the first measurement and `step` more to each next one.
class FakeMeasurement {
 public:
  FakeMeasurement(int64_t first, int64_t step) : next_(first), step_(step) {}

  MeasureProgram function() {
    return [this](const Program& program) -> Result<uint64_t> {
      EXPECT_FALSE(program.instructions.empty());
      ++calls_;
      const int64_t cycles = next_;
      next_ += step_;
      return static_cast<uint64_t>(cycles);
    };
  }
  int calls() const { return calls_; }

 private:
  int64_t next_;
  int64_t step_;
  int calls_ = 0;
};

TEST(ScheduleChooser, WithoutMeasurementTakesTheDefault) {
  const HwConfig hw = HwConfig::makeDefault();
  ScheduleChooser chooser(hw);
  EXPECT_EQ(*chooser.choose(smallConvolution()), *defaultSchedule(smallConvolution(), hw));
  EXPECT_STREQ(chooser.origin(), "default schedule");
}

TEST(ScheduleChooser, TakesTheFastest) {
  const HwConfig hw = HwConfig::makeDefault();
  FakeMeasurement faster_and_faster(100000, -10);
  ScheduleChooser chooser(hw, faster_and_faster.function());
  const Result<Schedule> schedule = chooser.choose(smallConvolution());
  ASSERT_TRUE(schedule.ok()) << schedule.status().message();
  ASSERT_GT(faster_and_faster.calls(), 3);
  const auto calls = static_cast<size_t>(faster_and_faster.calls());
  EXPECT_EQ(*schedule, rankedSchedules(smallConvolution(), hw, calls).back());
  EXPECT_STREQ(chooser.origin(), "simulated schedule");
}

TEST(ScheduleChooser, AmongEqualsTakesTheModelsBest) {
  const HwConfig hw = HwConfig::makeDefault();
  FakeMeasurement constant(1'000'000, 0);
  EXPECT_EQ(*ScheduleChooser(hw, constant.function()).choose(smallConvolution()),
            *defaultSchedule(smallConvolution(), hw));
}

// A few cycles more are worth a program whose instructions do not crowd the bus.
TEST(ScheduleChooser, AmongNearlyEqualsTakesTheShortProgram) {
  const HwConfig hw = HwConfig::makeDefault();
  const KernelDesc desc = smallConvolution();
  const auto instructions = [&](const Schedule& schedule) {
    return lower(desc, schedule, hw)->instructions.size();
  };
  FakeMeasurement few_cycles(100, 0);  // fetch takes longer than all else
  const Result<Schedule> chosen = ScheduleChooser(hw, few_cycles.function()).choose(desc);
  ASSERT_TRUE(chosen.ok());
  for (const Schedule& other : rankedSchedules(desc, hw, few_cycles.calls())) {
    EXPECT_LE(instructions(*chosen), instructions(other)) << other.toString();
  }
}

TEST(ScheduleChooser, MeasuresFewSchedulesOfLargeKernels) {
  FakeMeasurement slow(50'000'000, 1);
  ScheduleChooser chooser(HwConfig::makeDefault(), slow.function());
  ASSERT_TRUE(chooser.choose(smallConvolution()).ok());
  EXPECT_EQ(slow.calls(), 3);
}

TEST(ScheduleChooser, SearchesEqualKernelsOnce) {
  FakeMeasurement measurement(1000, 1);
  ScheduleChooser chooser(HwConfig::makeDefault(), measurement.function());
  KernelDesc desc = smallConvolution();
  const Schedule first = *chooser.choose(desc);
  const int calls = measurement.calls();
  desc.name = "another";
  EXPECT_EQ(*chooser.choose(desc), first);
  EXPECT_EQ(measurement.calls(), calls);
  desc.geometry.batch_blocks += 1;
  ASSERT_TRUE(chooser.choose(desc).ok());
  EXPECT_GT(measurement.calls(), calls);
}

TEST(ScheduleChooser, PassesErrorsOn) {
  ScheduleChooser failing(HwConfig::makeDefault(), [](const Program&) -> Result<uint64_t> {
    return internalError("broken");
  });
  EXPECT_EQ(failing.choose(smallConvolution()).status().message(), "broken");
  KernelDesc invalid = smallConvolution();
  invalid.geometry.groups = 3;
  FakeMeasurement unused(1, 0);
  ScheduleChooser chooser(HwConfig::makeDefault(), unused.function());
  EXPECT_EQ(chooser.choose(invalid).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(unused.calls(), 0);
}

}  // namespace
}  // namespace vta::kernel::testing
