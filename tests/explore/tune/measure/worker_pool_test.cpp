#include "explore/tune/measure/worker_pool.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "explore/tune/measure/simulator.h"
#include "explore/tune/space/vta_space.h"
#include "tests/explore/tune/tasks.h"

namespace vta::tune {
namespace {

// The schedule's height says what the worker is to do.
enum Deed : int64_t { kMeasure = 1, kCrash, kHang, kEatMemory, kFail };

Measurement doDeed(const kernel::Schedule& schedule, uint64_t most) {
  switch (schedule.tile_height) {
    case kCrash:
      std::abort();
    case kHang:
      std::this_thread::sleep_for(std::chrono::hours(1));
      return {};
    case kEatMemory:
      // Not enough memory throws, which nobody catches: the process ends.
      return {Outcome::kCycles, std::vector<char>(size_t{1} << 34, 1).size(), ""};
    case kFail:
      return {Outcome::kFailed, 0, "no luck"};
    default:
      return {Outcome::kCycles, static_cast<uint64_t>(schedule.tile_width) + most, ""};
  }
}

std::vector<kernel::Schedule> deeds(std::initializer_list<int64_t> list) {
  std::vector<kernel::Schedule> schedules;
  for (const int64_t deed : list) {
    schedules.emplace_back().tile_height = deed;
    schedules.back().tile_width = std::ssize(schedules);
  }
  return schedules;
}

TEST(WorkerPool, ResultsHaveTheOrderOfTheSchedules) {
  WorkerPool pool(3, {});
  ASSERT_TRUE(pool.start(doDeed).ok());
  const auto results = pool.run(deeds({1, 1, 1, 1, 1, 1, 1}), 100);
  ASSERT_EQ(results.size(), 7u);
  for (size_t i = 0; i < results.size(); ++i) EXPECT_EQ(results[i].cycles, 101 + i);
}

TEST(WorkerPool, ACrashOrAFailureCostsOneTrial) {
  WorkerPool pool(2, {});
  ASSERT_TRUE(pool.start(doDeed).ok());
  const auto results = pool.run(deeds({kMeasure, kCrash, kMeasure, kFail, kCrash, kMeasure}), 0);
  EXPECT_EQ(results[0].outcome, Outcome::kCycles);
  EXPECT_EQ(results[1].outcome, Outcome::kCrashed);
  EXPECT_EQ(results[2].cycles, 3u);
  EXPECT_EQ(results[3].outcome, Outcome::kFailed);
  EXPECT_EQ(results[3].error, "no luck");
  EXPECT_EQ(results[4].outcome, Outcome::kCrashed);
  EXPECT_EQ(results[5].cycles, 6u);
}

TEST(WorkerPool, AHangIsEnded) {
  WorkerPool pool(2, {.timeout = std::chrono::milliseconds(200)});
  ASSERT_TRUE(pool.start(doDeed).ok());
  const auto results = pool.run(deeds({kHang, kMeasure, kMeasure}), 0);
  EXPECT_EQ(results[0].outcome, Outcome::kTimedOut);
  EXPECT_EQ(results[1].outcome, Outcome::kCycles);
  EXPECT_EQ(results[2].outcome, Outcome::kCycles);
}

#if !defined(__SANITIZE_ADDRESS__)
TEST(WorkerPool, TooMuchMemoryCostsOneTrial) {
  WorkerPool pool(1, {.memory_bytes = uint64_t{1} << 30});
  ASSERT_TRUE(pool.start(doDeed).ok());
  const auto results = pool.run(deeds({kEatMemory, kMeasure}), 0);
  EXPECT_EQ(results[0].outcome, Outcome::kCrashed);
  EXPECT_EQ(results[1].outcome, Outcome::kCycles);
}
#endif

// Processes and the same process measure the same.
TEST(SimulatorMeasurer, AgreesWithTheLocalOne) {
  const Task task = testing::smallTask();
  const VtaSpace space = *VtaSpace::create(task);
  std::vector<kernel::Schedule> schedules;
  for (Candidate i = 0; i < space.size(); i += 20) schedules.push_back(space.schedule(i));
  const auto processes = makeSimulatorMeasurer(2);
  const auto local = makeLocalMeasurer();
  ASSERT_TRUE(processes->begin(task).ok());
  ASSERT_TRUE(local->begin(task).ok());
  EXPECT_EQ(processes->source(), local->source());
  const auto a = processes->measure(schedules, kAnyCycles);
  const auto b = local->measure(schedules, kAnyCycles);
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].outcome, Outcome::kCycles);
    EXPECT_EQ(a[i].cycles, b[i].cycles);
  }
  const auto capped = local->measure(schedules, a[0].cycles - 1);
  EXPECT_EQ(capped[0].outcome, Outcome::kSlower);
}

}  // namespace
}  // namespace vta::tune
