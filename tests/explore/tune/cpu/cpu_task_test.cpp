// Tasks of the CPU: their texts, their space, and searches with a measurement that is made up.
#include "explore/tune/cpu/cpu_task.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <set>
#include <sstream>

#include "explore/tune/tuner/comparison.h"
#include "explore/tune/tuner/tuner.h"

namespace vta::tune {
namespace {

ConvTask smallConvTask() {
  ConvTask task;
  task.spec.in = {1, 32, 14, 14, 16, {1, 1, 1, 1}};
  task.spec.out = {1, 32, 14, 14, 16, {}};
  task.spec.kernel = {3, 3};
  task.spec.pads = {1, 1};
  task.cpu = "x86_64, test, 32 vectors of 64 bytes";
  task.traits = {.vector_registers = 32, .vector_bytes = 64, .has_fma = true};
  task.layers = {"conv"};
  return task;
}

ConvTask smallIntegerTask() {
  ConvTask task = smallConvTask();
  task.spec.in.is_integer = task.spec.out.is_integer = true;
  task.spec.finish = "scqk";
  return task;
}

/// A layer that takes as long as the schedule's columns say.
Result<ConvCall> sleepingCall(const ConvSpec&, const ConvSchedule& schedule) {
  ConvCall call;
  call.prepare = [] {};
  call.run = [work = schedule.columns] {
    volatile int64_t sum = 0;
    for (int64_t i = 0; i < work * 2000; ++i) sum = sum + i;
  };
  return call;
}

TEST(ConvTasks, TextsComeBack) {
  ConvTask task = smallConvTask();
  task.spec.has_residual = true;
  task.spec.residual = task.spec.out;
  const TaskKey key = convKey(task.spec, task.cpu);
  EXPECT_TRUE(isConvWorkload(key.workload));
  const auto spec = parseConvWorkload(key.workload);
  ASSERT_TRUE(spec.ok()) << spec.status().message();
  EXPECT_EQ(*spec, task.spec);
  const ConvSchedule schedule = defaultConvSchedule(task.spec, task.traits);
  EXPECT_EQ(*parseConvSchedule(convScheduleText(schedule)), schedule);
}

// Databases from before there were transforms have texts without them.
TEST(ConvTasks, SchedulesWithoutTransformsHaveTheTextThatTheyAlwaysHad) {
  const std::string old =
      R"({"out_blocks":2,"rows":1,"columns":14,"unrolled_channels":1,"unrolled_window":1,)"
      R"("in_blocks":2,"row_tiles":1,"rows_outer":0})";
  const auto parsed = parseConvSchedule(old);
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  EXPECT_EQ(parsed->winograd, 0);
  EXPECT_EQ(convScheduleText(*parsed), old);
  ConvSchedule transformed = *parsed;
  transformed.winograd = 4;
  EXPECT_NE(convScheduleText(transformed), old);
  EXPECT_EQ(*parseConvSchedule(convScheduleText(transformed)), transformed);
  std::string other = old;
  other.replace(other.find("columns"), 7, "winograd");  // one field for another
  EXPECT_FALSE(parseConvSchedule(other).ok());
}

TEST(ConvTasks, TransformsArePartOfTheSpace) {
  const ConvSpace space(smallConvTask());
  std::set<int64_t> transforms;
  for (Candidate i = 0; i < space.size(); ++i) transforms.insert(space.schedule(i).winograd);
  EXPECT_EQ(transforms, (std::set<int64_t>{0, 2, 4}));
  const ConvSpace integers(smallIntegerTask());
  for (Candidate i = 0; i < integers.size(); ++i) EXPECT_EQ(integers.schedule(i).winograd, 0);
}

TEST(ConvTasks, IntegersAreAWorkloadOfTheirOwn) {
  ConvTask task = smallIntegerTask();
  const TaskKey key = convKey(task.spec, task.cpu);
  EXPECT_NE(key.workload, convKey(smallConvTask().spec, task.cpu).workload);
  EXPECT_TRUE(isConvWorkload(key.workload));
  EXPECT_EQ(*parseConvWorkload(key.workload), task.spec);
  task.spec.has_residual = true;
  task.spec.residual = task.spec.out;
  task.spec.finish = "sxcpacqk";
  EXPECT_EQ(*parseConvWorkload(convKey(task.spec, task.cpu).workload), task.spec);
}

TEST(ConvTasks, RefuseIntegersThatNoKernelComputes) {
  for (const char* finish : {"", "sq", "s?", "sc", "scqx", "sya"}) {
    ConvTask task = smallIntegerTask();
    task.spec.finish = finish;
    EXPECT_FALSE(parseConvWorkload(convKey(task.spec, task.cpu).workload).ok()) << finish;
  }
  ConvTask task = smallIntegerTask();
  task.spec.in.block = 3;
  EXPECT_FALSE(parseConvWorkload(convKey(task.spec, task.cpu).workload).ok());
}

TEST(ConvTasks, RefuseForeignTexts) {
  EXPECT_FALSE(parseConvWorkload("{}").ok());
  EXPECT_FALSE(parseConvWorkload("nonsense").ok());
  std::string huge = convKey(smallConvTask().spec, "").workload;
  huge.replace(huge.find("14"), 2, "99999999");
  EXPECT_FALSE(parseConvWorkload(huge).ok());
  EXPECT_FALSE(parseConvSchedule("{}").ok());
  EXPECT_FALSE(parseConvSchedule("[1]").ok());
  std::string negative = convScheduleText({});
  negative.replace(negative.find(":1"), 2, ":-1");
  const auto parsed = parseConvSchedule(negative);
  ASSERT_FALSE(parsed.ok());
  EXPECT_NE(parsed.status().message().find("out_blocks"), std::string::npos);
}

TEST(ConvTasks, EqualLayersAreOneTask) {
  const ConvTask one = smallConvTask();
  ConvSpec other = one.spec;
  other.out.halo = {1, 1, 1, 1};
  const auto tasks =
      makeConvTasks({{"a", one.spec}, {"b", other}, {"c", one.spec}}, one.cpu, one.traits);
  ASSERT_EQ(tasks.size(), 2u);
  EXPECT_EQ(tasks[0].layers, (std::vector<std::string>{"a", "c"}));
}

TEST(CpuTasks, AreSearchedAsTasksOfTheVtaAre) {
  const ConvTask task = smallConvTask();
  ConvMeasurer measurer(sleepingCall, {}, 3);
  CpuTask target(task, measurer);
  TargetTask* const all[] = {&target};
  Tuner tuner(nullptr, {.searcher = *findSearcher("learned"), .trials = 20});
  const auto results = tuner.run(all);
  ASSERT_TRUE(results.ok()) << results.status().message();
  const TunedTask& result = results->front();
  EXPECT_EQ(result.trials, 20);
  EXPECT_EQ(result.failed_trials, 0);
  ASSERT_TRUE(result.best.has_value());
  EXPECT_LT(result.best->cycles, result.default_cycles);
  EXPECT_GT(result.rejected.at("sums exceed the registers"), 0);
}

// Measuring once more gives other numbers.
TEST(CpuTasks, NothingIsProvenWhenAllSchedulesAreMeasured) {
  ConvTask task = smallConvTask();
  task.spec.in = {1, 16, 1, 1, 16, {}};
  task.spec.out = {1, 16, 1, 1, 16, {}};
  task.spec.kernel = {1, 1};
  task.spec.pads = {0, 0};
  ConvMeasurer measurer(sleepingCall, {}, 3);
  CpuTask target(task, measurer);
  TargetTask* const all[] = {&target};
  Database database = *Database::open(":memory:", Database::Access::kWrite);
  Tuner tuner(&database, {.searcher = *findSearcher("grid"), .trials = 1'000'000, .patience = 0});
  const auto results = tuner.run(all);
  ASSERT_TRUE(results.ok()) << results.status().message();
  ASSERT_EQ(results->front().trials, static_cast<int64_t>(results->front().schedules));
  EXPECT_EQ(results->front().floor_cycles, 0u);
  EXPECT_EQ(*database.proof(target.stored().key, target.source()), std::nullopt);
}

// As if the clock were never steady: most runs take much longer than the fastest.
TEST(CpuTasks, MeasurementsWithoutASteadyClockAreMarked) {
  const auto make = [](const ConvSpec&, const ConvSchedule&) -> Result<ConvCall> {
    ConvCall call;
    call.prepare = [] {};
    call.run = [runs = std::make_shared<int64_t>(0)] {
      const int64_t work = ++*runs % 3 == 0 ? 40'000 : 800'000;
      volatile int64_t sum = 0;
      for (int64_t i = 0; i < work; ++i) sum = sum + i;
    };
    return call;
  };
  const ConvTask task = smallConvTask();
  ConvMeasurer measurer(make, {}, 6);
  CpuTask target(task, measurer);
  TargetTask* const all[] = {&target};
  Database database = *Database::open(":memory:", Database::Access::kWrite);
  Tuner tuner(&database, {.searcher = *findSearcher("grid"), .trials = 3});
  const auto results = tuner.run(all);
  ASSERT_TRUE(results.ok()) << results.status().message();
  EXPECT_EQ(results->front().unsteady_trials, 3);
  EXPECT_EQ(database.summaries()->front().unsteady, 3);
  std::stringstream lines;
  ASSERT_TRUE(database.exportJsonLines(lines).ok());
  Database again = *Database::open(":memory:", Database::Access::kWrite);
  ASSERT_TRUE(again.importJsonLines(lines).ok());
  EXPECT_EQ(again.summaries()->front().unsteady, 3);
}

TEST(CpuTasks, ACrashAndAFailureCostOneTrialEach) {
  const auto make = [](const ConvSpec& spec, const ConvSchedule& schedule) -> Result<ConvCall> {
    if (schedule.columns == 1) return invalidArgument("no such code");
    if (schedule.columns == 2) std::abort();
    return sleepingCall(spec, schedule);
  };
  ConvMeasurer measurer(make, {}, 3);
  ASSERT_TRUE(measurer.begin(smallConvTask().spec).ok());
  ConvSchedule failing, crashing, good;
  failing.columns = 1;
  crashing.columns = 2;
  good.columns = 3;
  const ConvSchedule schedules[] = {failing, crashing, good};
  const auto measured = measurer.measure(schedules, kAnyCycles);
  EXPECT_EQ(measured[0].outcome, Outcome::kFailed);
  EXPECT_EQ(measured[0].error, "no such code");
  EXPECT_EQ(measured[1].outcome, Outcome::kCrashed);
  EXPECT_EQ(measured[2].outcome, Outcome::kCycles);
  EXPECT_EQ(measurer.measure({&good, 1}, 1).front().outcome, Outcome::kSlower);
}

TEST(CpuTasks, RunsThatWereDisturbedDoNotCount) {
  int runs = 0;
  ConvCall call;
  call.prepare = [] {};
  call.run = [&runs] {
    const int64_t work = ++runs % 4 == 0 ? 4'000'000 : 40'000;
    volatile int64_t sum = 0;
    for (int64_t i = 0; i < work; ++i) sum = sum + i;
  };
  const RepeatedTime time = timeCall(call, 8);
  EXPECT_GE(time.outliers, 2);
  EXPECT_LT(time.nanoseconds, 1'000'000u);
}

TEST(Comparisons, CountTrialsOfEverySeed) {
  const ConvTask task = smallConvTask();
  ConvMeasurer measurer(sleepingCall, {}, 3);
  CpuTask target(task, measurer);
  const auto picture = compareSearchers(
      target, 2, nullptr,
      {.searchers = {*findSearcher("random"), *findSearcher("learned")}, .trials = 12, .seeds = 2});
  ASSERT_TRUE(picture.ok()) << picture.status().message();
  ASSERT_EQ(picture->searches.size(), 4u);
  for (const Convergence& search : picture->searches) {
    EXPECT_EQ(search.best.size(), 12u);
    EXPECT_TRUE(std::ranges::is_sorted(search.best, std::greater<>()));
    EXPECT_TRUE(std::ranges::is_sorted(search.seconds));
    EXPECT_GE(search.best.back(), picture->best_cycles);
  }
  EXPECT_FALSE(picture->predictions.empty());
  EXPECT_EQ(picture->floor_cycles, 0u);
}

}  // namespace
}  // namespace vta::tune
