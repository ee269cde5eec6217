#include "explore/tune/database/tuned_schedules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/kernel/schedule/floor/schedule_floor.h"
#include "compiler/kernel/schedule/schedule_space.h"
#include "tests/explore/tune/tasks.h"

namespace vta::tune {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::smallTask;

class TunedSchedulesTest : public ::testing::Test {
 protected:
  TunedSchedulesTest() {
    const kernel::ScheduleFloor floor(task_.desc, task_.hw, memoryTraits(task_.memory, task_.hw));
    kernel::visitSchedules(task_.desc, task_.hw,
                           [&](const kernel::Schedule& schedule, const kernel::KernelPlan& plan) {
                             schedules_.push_back(schedule);
                             floors_.push_back(floor.leastCycles(schedule, plan));
                           });
  }

  /// Of a schedule of the space; `cycles` are those above its floor.
  TrialRecord trial(size_t i, int64_t above_floor) const {
    return {.schedule = scheduleText(schedules_[i]),
            .outcome = Outcome::kCycles,
            .cycles = static_cast<uint64_t>(static_cast<int64_t>(floors_[i]) + above_floor)};
  }
  void add(const std::vector<TrialRecord>& trials, const std::string& source = kSimulatorSource) {
    const Status status = database_.addTrials(storedTask(task_), source, trials);
    EXPECT_TRUE(status.ok()) << status.message();
  }
  TunedSchedules read(const TunedFor& wanted) const {
    auto tuned = TunedSchedules::read(database_, wanted);
    EXPECT_TRUE(tuned.ok()) << tuned.status().message();
    return *std::move(tuned);
  }
  TunedFor wanted() const { return {.vta = Timing{task_.hw, task_.memory}}; }

  Task task_ = smallTask();
  std::string workload_ = keyOf(task_).workload;
  Database database_ = *Database::open(":memory:", Database::Access::kWrite);
  std::vector<kernel::Schedule> schedules_;
  std::vector<uint64_t> floors_;
};

TEST_F(TunedSchedulesTest, TheFastestTrialThatCanBeTrue) {
  const int64_t too_few = 1 - static_cast<int64_t>(floors_[1]);  // the fastest of all
  add({trial(0, 100), trial(1, too_few), trial(2, 50)});
  const TunedSchedules tuned = read(wanted());
  const auto found = tuned.find(workload_);
  ASSERT_TRUE(found);
  const size_t faster = floors_[0] + 100 < floors_[2] + 50 ? 0 : 2;
  EXPECT_EQ(found->schedule, schedules_[faster]);
  EXPECT_EQ(found->origin, kTuned);
  EXPECT_THAT(tuned.remarks(),
              ElementsAre(AllOf(HasSubstr("1 trials"), HasSubstr("fewer cycles than are proven"))));
  EXPECT_FALSE(tuned.find("another"));
  // A device may have another memory than it is said to have.
  add({trial(1, too_few)}, "board");
  TunedFor on_board = wanted();
  on_board.source = "board";
  EXPECT_EQ(read(on_board).find(workload_)->schedule, schedules_[1]);
}

TEST_F(TunedSchedulesTest, SchedulesThatDoNotFitAreLeftAside) {
  TrialRecord huge = trial(0, 0);
  kernel::Schedule schedule = schedules_[0];
  schedule.tile_height = 1'000'000;
  huge.schedule = scheduleText(schedule);
  TrialRecord nonsense = trial(0, 0);
  nonsense.schedule = "{}";
  add({huge, nonsense});
  const TunedSchedules tuned = read(wanted());
  EXPECT_FALSE(tuned.find(workload_));
  EXPECT_THAT(tuned.remarks(),
              ElementsAre(AllOf(HasSubstr("2 trials"), HasSubstr("does not fit"))));
}

TEST_F(TunedSchedulesTest, AProofIsTrueUntilATrialBeatsIt) {
  add({trial(0, 10)});
  const uint64_t cycles = trial(0, 10).cycles;
  ASSERT_TRUE(database_.setProof(storedTask(task_), kSimulatorSource, {cycles}).ok());
  EXPECT_EQ(read(wanted()).find(workload_)->origin, kProven);
  EXPECT_THAT(read(wanted()).remarks(), IsEmpty());
  add({trial(0, 9)});
  const TunedSchedules tuned = read(wanted());
  EXPECT_EQ(tuned.find(workload_)->origin, kTuned);
  EXPECT_THAT(tuned.remarks(), ElementsAre(HasSubstr("1 proofs are beaten by a trial")));
}

TEST_F(TunedSchedulesTest, OtherHardwareIsNamed) {
  add({trial(0, 10)});
  TunedFor other = wanted();
  other.vta->memory.simple.latency_cycles += 1;
  const TunedSchedules tuned = read(other);
  EXPECT_FALSE(tuned.find(workload_));
  EXPECT_THAT(tuned.remarks(), ElementsAre(AllOf(HasSubstr("no trial for the accelerator"),
                                                 HasSubstr("default with simple"))));
  // Who compiles for the CPU hears of the CPU alone.
  EXPECT_THAT(read({.cpu = "any"}).remarks(),
              ElementsAre(HasSubstr("no trial from: cpu, ns; it has some from: cycle simulator")));
}

TEST_F(TunedSchedulesTest, OtherCpusAreNamed) {
  const ConvSpec spec{};
  const StoredTask task = {0, convKey(spec, "this cpu"), "conv", "this cpu", ""};
  const TrialRecord best = {
      .schedule = convScheduleText({}), .outcome = Outcome::kCycles, .cycles = 7};
  TrialRecord unreadable = best;
  unreadable.schedule = "{}";
  unreadable.cycles = 5;
  ASSERT_TRUE(database_.addTrials(task, kCpuSource, std::vector{best, unreadable}).ok());
  const TunedSchedules tuned = read({.cpu = "this cpu"});
  EXPECT_TRUE(tuned.findConv(task.key.workload));
  EXPECT_THAT(tuned.remarks(),
              ElementsAre(HasSubstr("1 trials have a schedule that does not fit")));
  EXPECT_THAT(
      read({.cpu = "another"}).remarks(),
      ElementsAre(AllOf(HasSubstr("no trial for this CPU (another)"), HasSubstr("for: this cpu"))));
}

}  // namespace
}  // namespace vta::tune
