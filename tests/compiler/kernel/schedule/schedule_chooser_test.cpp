#include "compiler/kernel/schedule/schedule_chooser.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <span>
#include <vector>

#include "compiler/kernel/lower.h"
#include "compiler/kernel/schedule/schedule_space.h"
#include "tests/compiler/kernel/sample_kernels.h"

namespace vta::kernel::testing {
namespace {

/// Answers `first` to the first measurement and `step` more to each next one.
class FakeMeasurement {
 public:
  FakeMeasurement(int64_t first, int64_t step) : next_(first), step_(step) {}

  MeasureProgram function() {
    return [this](const Program& program, uint64_t most) -> Result<std::optional<uint64_t>> {
      EXPECT_FALSE(program.instructions.empty());
      ++calls_;
      last_ = program;
      fewest_instructions_ = std::min(fewest_instructions_, program.instructions.size());
      const auto cycles = static_cast<uint64_t>(next_);
      next_ += step_;
      if (cycles > most) return std::optional<uint64_t>();
      return std::optional(cycles);
    };
  }
  int calls() const { return calls_; }
  const Program& last() const { return last_; }
  size_t fewestInstructions() const { return fewest_instructions_; }

 private:
  int64_t next_;
  int64_t step_;
  int calls_ = 0;
  Program last_;
  size_t fewest_instructions_ = std::numeric_limits<size_t>::max();
};

TEST(ScheduleChooser, WithoutMeasurementTakesTheDefault) {
  const HwConfig hw = HwConfig::makeDefault();
  ScheduleChooser chooser(hw);
  const auto chosen = chooser.choose(smallConvolution());
  ASSERT_TRUE(chosen.ok());
  EXPECT_EQ(chosen->schedule, *defaultSchedule(smallConvolution(), hw));
  EXPECT_EQ(chosen->origin, "default schedule");
}

TEST(ScheduleChooser, TakesTheFastest) {
  const HwConfig hw = HwConfig::makeDefault();
  FakeMeasurement faster_and_faster(100000, -10);
  ScheduleChooser chooser(hw, {.measure = faster_and_faster.function()});
  const Result<ChosenSchedule> chosen = chooser.choose(smallConvolution());
  ASSERT_TRUE(chosen.ok()) << chosen.status().message();
  ASSERT_GT(faster_and_faster.calls(), 3);
  EXPECT_EQ(*lower(smallConvolution(), chosen->schedule, hw), faster_and_faster.last());
  EXPECT_EQ(chosen->origin, "simulated schedule");
}

TEST(ScheduleChooser, AmongEqualsTakesTheModelsBest) {
  const HwConfig hw = HwConfig::makeDefault();
  FakeMeasurement constant(1'000'000, 0);
  ScheduleChooser chooser(hw, {.measure = constant.function()});
  EXPECT_EQ(chooser.choose(smallConvolution())->schedule, *defaultSchedule(smallConvolution(), hw));
}

// A few cycles more are worth a program whose instructions do not crowd the bus.
TEST(ScheduleChooser, AmongNearlyEqualsTakesTheShortProgram) {
  const HwConfig hw = HwConfig::makeDefault();
  const KernelDesc desc = smallConvolution();
  FakeMeasurement few_cycles(100, 0);  // fetch takes longer than all else
  ScheduleChooser chooser(hw, {.measure = few_cycles.function()});
  const Result<ChosenSchedule> chosen = chooser.choose(desc);
  ASSERT_TRUE(chosen.ok());
  EXPECT_EQ(lower(desc, chosen->schedule, hw)->instructions.size(),
            few_cycles.fewestInstructions());
}

// The model's opinion of different kinds of schedules may be wrong.
TEST(ScheduleChooser, FindsAFastKindThatTheModelRanksLow) {
  const HwConfig hw = HwConfig::makeDefault();
  const KernelDesc desc = smallConvolution();
  const std::vector<Schedule> ranked = rankedSchedules(desc, hw, 2000);
  // The model's best with other channel blocks, and a neighbour far down the ranking.
  const Schedule near = *std::ranges::find_if(
      ranked, [&](const Schedule& s) { return s.tile_out_blocks != ranked[0].tile_out_blocks; });
  const auto fastest = std::find_if(ranked.begin() + 60, ranked.end(), [&](Schedule s) {
    s.tile_height = near.tile_height;
    return s == near;
  });
  ASSERT_NE(fastest, ranked.end());
  const Program fast_program = *lower(desc, *fastest, hw);
  const Program near_program = *lower(desc, near, hw);
  const MeasureProgram measure = [&](const Program& program, uint64_t) {
    const uint64_t cycles = program == fast_program   ? 30'000
                            : program == near_program ? 40'000
                                                      : 50'000;
    return Result<std::optional<uint64_t>>(cycles);
  };
  EXPECT_EQ(ScheduleChooser(hw, {.measure = measure}).choose(desc)->schedule, *fastest);
}

TEST(ScheduleChooser, MeasuresFewSchedulesOfLargeKernels) {
  FakeMeasurement slow(50'000'000, 1);
  ScheduleChooser chooser(HwConfig::makeDefault(), {.measure = slow.function()});
  ASSERT_TRUE(chooser.choose(smallConvolution()).ok());
  EXPECT_EQ(slow.calls(), 3);
}

TEST(ScheduleChooser, SearchesEqualKernelsOnce) {
  FakeMeasurement measurement(1000, 1);
  ScheduleChooser chooser(HwConfig::makeDefault(), {.measure = measurement.function()});
  KernelDesc desc = smallConvolution();
  const Schedule first = chooser.choose(desc)->schedule;
  const int calls = measurement.calls();
  desc.name = "another";
  EXPECT_EQ(chooser.choose(desc)->schedule, first);
  EXPECT_EQ(measurement.calls(), calls);
  desc.geometry.batch_blocks += 1;
  ASSERT_TRUE(chooser.choose(desc).ok());
  EXPECT_GT(measurement.calls(), calls);
}

// With several threads, too, each kernel gets what it would get alone.
TEST(ScheduleChooser, SearchesAheadOnSeveralThreads) {
  const HwConfig hw = HwConfig::makeDefault();
  std::atomic<int> calls = 0;
  const MeasureProgram measure = [&](const Program& program, uint64_t most) {
    ++calls;
    const uint64_t cycles = 1000 + program.instructions.size() * 7919 % 1000;
    return Result<std::optional<uint64_t>>(cycles > most ? std::nullopt : std::optional(cycles));
  };
  std::vector<KernelDesc> kernels;
  for (int64_t blocks = 1; blocks < 7; ++blocks) {
    kernels.push_back(smallConvolution());
    kernels.back().geometry.batch_blocks = blocks;
  }
  kernels.push_back(kernels.front());
  kernels.back().name = "another";
  KernelDesc invalid = smallConvolution();
  invalid.geometry.groups = 3;
  kernels.push_back(invalid);
  ScheduleChooser ahead(hw, {.measure = measure, .threads = 3}), alone(hw, {.measure = measure});
  int searched = 0;
  ahead.searchAhead(kernels, [&] { ++searched; });
  EXPECT_EQ(searched, 7);  // two are equal
  const int calls_ahead = calls;
  for (const KernelDesc& kernel : std::span(kernels).first(7)) {
    const auto chosen = ahead.choose(kernel);
    ASSERT_TRUE(chosen.ok()) << chosen.status().message();
    EXPECT_EQ(calls, calls_ahead) << "searched again";
    EXPECT_EQ(chosen->origin, "simulated schedule");
  }
  EXPECT_EQ(ahead.choose(invalid).status().code(), StatusCode::kInvalidArgument);
  for (const KernelDesc& kernel : std::span(kernels).first(7)) {
    EXPECT_EQ(ahead.choose(kernel)->schedule, alone.choose(kernel)->schedule);
  }
}

TEST(ScheduleChooser, TakesWhatWasFoundBefore) {
  const HwConfig hw = HwConfig::makeDefault();
  FakeMeasurement unused(1, 0);
  const Schedule found = rankedSchedules(smallConvolution(), hw, 5).back();
  ScheduleChooser chooser(hw, {.measure = unused.function(), .find = [&](const KernelDesc&) {
                                 return std::optional(ChosenSchedule{found, "tuned schedule"});
                               }});
  const auto chosen = chooser.choose(smallConvolution());
  ASSERT_TRUE(chosen.ok());
  EXPECT_EQ(chosen->schedule, found);
  EXPECT_EQ(chosen->origin, "tuned schedule");
  EXPECT_EQ(unused.calls(), 0);
}

TEST(ScheduleChooser, DoesNotTakeWhatDoesNotFit) {
  const HwConfig hw = HwConfig::makeDefault();
  Schedule too_large = *defaultSchedule(smallConvolution(), hw);
  too_large.tile_height = 1'000'000;
  ScheduleChooser chooser(hw, {.find = [&](const KernelDesc&) {
                            return std::optional(ChosenSchedule{too_large, "tuned schedule"});
                          }});
  const auto chosen = chooser.choose(smallConvolution());
  ASSERT_TRUE(chosen.ok());
  EXPECT_EQ(chosen->origin, "default schedule");
}

TEST(ScheduleChooser, PassesErrorsOn) {
  const MeasureProgram broken = [](const Program&, uint64_t) -> Result<std::optional<uint64_t>> {
    return internalError("broken");
  };
  ScheduleChooser failing(HwConfig::makeDefault(), {.measure = broken});
  EXPECT_EQ(failing.choose(smallConvolution()).status().message(), "broken");
  KernelDesc invalid = smallConvolution();
  invalid.geometry.groups = 3;
  FakeMeasurement unused(1, 0);
  ScheduleChooser chooser(HwConfig::makeDefault(), {.measure = unused.function()});
  EXPECT_EQ(chooser.choose(invalid).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(unused.calls(), 0);
}

}  // namespace
}  // namespace vta::kernel::testing
