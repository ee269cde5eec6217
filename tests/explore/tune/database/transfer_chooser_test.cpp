#include "explore/tune/database/transfer_chooser.h"

#include <gtest/gtest.h>

#include "compiler/kernel/lower.h"
#include "compiler/kernel/schedule/cost_model.h"
#include "compiler/kernel/schedule/schedule_space.h"
#include "tests/explore/tune/tasks.h"

namespace vta::tune {
namespace {

using testing::smallConvolution;

std::vector<kernel::Schedule> legalSchedules() {
  std::vector<kernel::Schedule> schedules;
  kernel::visitSchedules(smallConvolution(), HwConfig::makeDefault(),
                         [&](const kernel::Schedule& schedule, const kernel::KernelPlan&) {
                           schedules.push_back(schedule);
                         });
  return schedules;
}

/// So many cycles for `fast`, 50 million for all others: a search is over after few of them.
kernel::MeasureProgram measurementWith(const kernel::Schedule& fast, uint64_t cycles) {
  const HwConfig hw = HwConfig::makeDefault();
  const Program program = *kernel::lower(smallConvolution(), fast, hw);
  return [program, cycles](const Program& other, uint64_t) {
    return Result<std::optional<uint64_t>>(other == program ? cycles : 50'000'000);
  };
}

TEST(TransferChooser, TakesWhatOneMeasurementFindsFaster) {
  const kernel::Schedule last = legalSchedules().back();
  const kernel::Schedule others[] = {legalSchedules()[3], last};
  TransferChooser chooser(HwConfig::makeDefault(), {.measure = measurementWith(last, 40'000'000)});
  const auto chosen = chooser.choose(smallConvolution(), others);
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->schedule, last);
  EXPECT_EQ(chosen->origin, kTransferred);
}

TEST(TransferChooser, KeepsTheOwnChoiceThatIsAsFast) {
  const kernel::Schedule last[] = {legalSchedules().back()};
  for (const uint64_t cycles : {50'000'000, 60'000'000}) {
    TransferChooser chooser(HwConfig::makeDefault(), {.measure = measurementWith(*last, cycles)});
    const auto chosen = chooser.choose(smallConvolution(), last);
    ASSERT_TRUE(chosen);
    EXPECT_EQ(chosen->origin, "simulated schedule") << cycles;
  }
}

TEST(TransferChooser, AsksTheModelWhereNothingMeasures) {
  const HwConfig hw = HwConfig::makeDefault();
  const auto own = kernel::defaultSchedule(smallConvolution(), hw);
  const std::vector<kernel::Schedule> legal = legalSchedules();
  TransferChooser chooser(hw, {});
  for (size_t i = 0; i < legal.size(); i += 50) {
    const kernel::Schedule one[] = {legal[i]};
    const auto chosen = chooser.choose(smallConvolution(), one);
    ASSERT_TRUE(chosen);
    if (chosen->origin == kTransferred) {
      EXPECT_EQ(chosen->schedule, legal[i]);
      EXPECT_EQ(estimateCost(smallConvolution(), legal[i], hw).cycles,
                estimateCost(smallConvolution(), *own, hw).cycles);
    } else {
      EXPECT_EQ(chosen->schedule, *own);
    }
  }
}

TEST(TransferChooser, LeavesOutWhatIsNotLegal) {
  kernel::Schedule too_large = legalSchedules().front();
  too_large.tile_height = 1'000'000;
  const kernel::Schedule one[] = {too_large};
  TransferChooser chooser(HwConfig::makeDefault(), {});
  EXPECT_FALSE(chooser.choose(smallConvolution(), one));
  EXPECT_FALSE(chooser.choose(smallConvolution(), {}));
}

TEST(TransferChooser, LeavesErrorsOfTheMeasurementToTheCaller) {
  const kernel::Schedule last[] = {legalSchedules().back()};
  const kernel::MeasureProgram broken = [](const Program&, uint64_t) {
    return Result<std::optional<uint64_t>>(internalError("broken"));
  };
  TransferChooser chooser(HwConfig::makeDefault(), {.measure = broken});
  EXPECT_FALSE(chooser.choose(smallConvolution(), last));
}

}  // namespace
}  // namespace vta::tune
