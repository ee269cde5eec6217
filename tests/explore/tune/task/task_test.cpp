#include "explore/tune/task/task.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explore/tune/task/task_text.h"
#include "tests/explore/tune/tasks.h"

namespace vta::tune {
namespace {

using testing::smallConvolution;
using testing::smallTask;

TEST(Task, EqualKernelsAreOneTask) {
  kernel::KernelDesc first = smallConvolution();
  kernel::KernelDesc same = first;
  same.name = "again";
  same.epilogue[1].imm = 3;  // takes as long
  kernel::KernelDesc other = first;
  other.name = "other";
  other.geometry.out_channel_blocks = 8;
  const auto tasks = makeTasks(std::vector{first, other, same}, HwConfig::makeDefault(), {});
  ASSERT_EQ(tasks.size(), 2u);
  EXPECT_THAT(tasks[0].layers, ::testing::ElementsAre("conv", "again"));
  EXPECT_THAT(tasks[1].layers, ::testing::ElementsAre("other"));
}

TEST(Task, KeyIsReadBack) {
  Task task = smallTask();
  task.desc.residual.emplace().steps = {
      {AluOpcode::kShr, kernel::EpilogueStep::Source::kImmediate, 0, 0}};
  task.desc.epilogue.push_back({AluOpcode::kAdd, kernel::EpilogueStep::Source::kResidual, 0, 0});
  const TaskKey key = keyOf(task);
  const Result<Task> read = parseTask(key);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(keyOf(*read), key);
}

TEST(Task, KeyHasTheBorder) {
  Task task = smallTask();
  task.desc.geometry.crop_left = -1;
  const TaskKey edge = keyOf(task);
  task.desc.geometry.border = kernel::Border::kReflect;
  EXPECT_NE(keyOf(task), edge);
  const Result<Task> read = parseTask(keyOf(task));
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->desc.geometry, task.desc.geometry);
}

TEST(Task, KeyTellsWhatChangesCycles) {
  const Task task = smallTask();
  Task slower = task;
  slower.memory.simple.latency_cycles = 200;
  EXPECT_NE(keyOf(slower).memory, keyOf(task).memory);
  Task renamed = task;
  HwParams params = task.hw.params();
  params.name = "another";
  params.clock_hz = 150'000'000;
  renamed.hw = *HwConfig::create(params);
  EXPECT_EQ(keyOf(renamed), keyOf(task));  // the simple memory counts cycles
  Task ddr = task;
  ddr.memory = *sim::resolveMemoryConfig("ddr3-1066");
  Task ddr_renamed = renamed;
  ddr_renamed.memory = ddr.memory;
  EXPECT_NE(keyOf(ddr_renamed).memory, keyOf(ddr).memory);  // a DDR memory has its own clock
}

// Databases of whole clocks find what they hold; those with decimals are kept exactly.
TEST(Task, KeysHaveTheClockThatADdrMemoryIsComparedWith) {
  Task task = smallTask();
  task.memory = *sim::resolveMemoryConfig("ddr3-1066");
  EXPECT_THAT(keyOf(task).memory, ::testing::HasSubstr("\"accelerator_mhz\":100,"));
  HwParams params = task.hw.params();
  params.clock_hz = 333'330'000;
  task.hw = *HwConfig::create(params);
  EXPECT_THAT(keyOf(task).memory, ::testing::HasSubstr("\"accelerator_mhz\":333.33,"));
  const auto again = parseTask(keyOf(task));
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(again->hw.params().clock_hz, 333'330'000);
  EXPECT_EQ(keyOf(*again), keyOf(task));
  TaskKey impossible = keyOf(task);
  impossible.memory.replace(impossible.memory.find("333.33"), 6, "1e300");
  EXPECT_THAT(parseTask(impossible).status().message(), ::testing::HasSubstr("clock_mhz is"));
}

TEST(Task, ForeignKeysAreErrors) {
  const TaskKey good = keyOf(smallTask());
  for (const TaskKey& bad :
       {TaskKey{"{", good.configuration, good.memory},
        TaskKey{"{}", good.configuration, good.memory},
        TaskKey{good.workload, "gemm: {batch: 3}", good.memory},
        TaskKey{good.workload, good.configuration, "[]"}, TaskKey{"null", "", "null"}}) {
    EXPECT_EQ(parseTask(bad).status().code(), StatusCode::kInvalidArgument);
  }
}

TEST(Task, SchedulesAreReadBack) {
  kernel::Schedule schedule;
  schedule.tile_height = 7;
  schedule.order = kernel::Schedule::Order::kWeightsOuter;
  const std::string text = scheduleText(schedule);
  EXPECT_EQ(*parseSchedule(text), schedule);
  EXPECT_FALSE(parseSchedule("{}").ok());
  EXPECT_FALSE(parseSchedule("7").ok());
  std::string unknown = text;
  unknown.insert(1, "\"sauce\":1,");
  EXPECT_THAT(parseSchedule(unknown).status().message(), ::testing::HasSubstr("unknown field"));
}

TEST(MemoryTraits, OfTheSimpleModelAreExact) {
  sim::MemoryConfig memory;
  memory.simple = {.latency_cycles = 7, .beats_numerator = 2, .beats_denominator = 3};
  memory.outstanding = 3;
  const kernel::MemoryTraits traits = memoryTraits(memory, HwConfig::makeDefault());
  EXPECT_EQ(traits.latency_cycles, 7);
  EXPECT_EQ(traits.least_latency_cycles, 7);
  EXPECT_DOUBLE_EQ(traits.cycles_per_beat, 1.5);
  EXPECT_EQ(traits.outstanding_bursts, 3);
}

}  // namespace
}  // namespace vta::tune
