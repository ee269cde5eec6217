#include "explore/tune/measure/device_measurer.h"

#include <gmock/gmock.h>

#include <utility>

#include "driver/device_registry.h"
#include "explore/tune/measure/rank_agreement.h"
#include "explore/tune/measure/simulator.h"
#include "explore/tune/space/vta_space.h"
#include "tests/explore/tune/tasks.h"

namespace vta::tune {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<driver::Device> device(const char* spec) {
  return driver::createDevice(spec, HwConfig::makeDefault()).value();
}

TEST(DeviceMeasurerTest, CountsWhatTheSimulatorCounts) {
  const Task task = testing::smallTask();
  const auto on_device = makeDeviceMeasurer(device("cycle"), {.launches = 1}).value();
  const auto simulator = makeLocalMeasurer();
  EXPECT_EQ(on_device->source(), "device cycle");
  ASSERT_TRUE(on_device->begin(task).ok());
  ASSERT_TRUE(simulator->begin(task).ok());
  const auto space = VtaSpace::create(task);
  ASSERT_TRUE(space.ok());
  std::vector<kernel::Schedule> schedules;
  for (size_t i = 0; i < 20; ++i) {
    schedules.push_back(space->schedule(static_cast<Candidate>(i * space->size() / 20)));
  }
  std::vector<uint64_t> cycles[2];
  for (const auto& [measurer, into] :
       {std::pair{on_device.get(), &cycles[0]}, std::pair{simulator.get(), &cycles[1]}}) {
    for (const Measurement& measured : measurer->measure(schedules, kAnyCycles)) {
      EXPECT_EQ(measured.outcome, Outcome::kCycles) << measured.error;
      into->push_back(measured.cycles);
    }
  }
  EXPECT_GT(rankAgreement(cycles[0], cycles[1]), 0.99);
}

TEST(DeviceMeasurerTest, DevicesThatCountNoCyclesAreRefused) {
  const auto measurer = makeDeviceMeasurer(device("functional"));
  ASSERT_FALSE(measurer.ok());
  EXPECT_THAT(measurer.status().message(), HasSubstr("counts no cycles"));
}

TEST(DeviceMeasurerTest, OtherConfigurationsAreRefusedWithBothPrinted) {
  HwParams params;
  params.block_in = 8;
  Task task = testing::smallTask();
  task.hw = HwConfig::create(params).value();
  const auto measurer = makeDeviceMeasurer(device("cycle")).value();
  const Status status = measurer->begin(task);
  EXPECT_THAT(status.message(), HasSubstr(task.hw.summary()));
}

TEST(DeviceMeasurerTest, ADeviceThatFailsEndsTheSearch) {
  const Task task = testing::smallTask();
  const auto measurer = makeDeviceMeasurer(device("cycle:memory=8K")).value();
  ASSERT_TRUE(measurer->begin(task).ok());
  const kernel::Schedule schedule = VtaSpace::create(task)->schedule(0);
  // The device's failure says nothing about the schedule.
  EXPECT_EQ(measurer->measure({&schedule, 1}, kAnyCycles)[0].outcome, Outcome::kNotMeasured);
  EXPECT_EQ(measurer->health().code(), StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace vta::tune
