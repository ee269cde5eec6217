#include "explore/tune/dataset/part.h"

#include <gtest/gtest.h>

#include <set>

#include "compiler/kernel/schedule/floor/schedule_floor.h"
#include "explore/tune/dataset/columns.h"
#include "explore/tune/dataset/random_task.h"

namespace vta::tune {
namespace {

std::string part(uint64_t seed, int64_t number) {
  const std::atomic<bool> go_on = false;
  const auto made = makePart(seed, number, 30, go_on);
  EXPECT_TRUE(made.ok()) << made.status().message();
  return made->value();
}

TEST(Part, DependsOnSeedAndNumberAlone) {
  const std::string first = part(1, 0);
  EXPECT_EQ(first, part(1, 0));
  EXPECT_NE(first, part(1, 1));
  EXPECT_NE(first, part(2, 0));
}

TEST(Part, EndsWhenItIsStopped) {
  const std::atomic<bool> stop = true;
  EXPECT_EQ(*makePart(1, 0, 30, stop), std::nullopt);
}

// On random kernels, accelerators and memories.
TEST(Floors, AreNeverAboveTheCycles) {
  const std::atomic<bool> go_on = false;
  ASSERT_TRUE(visitPoints(11, 0, 400, go_on, [](const Point& point) {
                SCOPED_TRACE(point.desc->name + ", " + point.schedule->toString() + "\n" +
                             point.hw->toYaml());
                EXPECT_LE(point.floor_cycles, point.counters.cycles);
                kernel::KernelPlan plan;
                kernel::PlanFailure failure;
                ASSERT_TRUE(makePlan(*point.desc, *point.schedule, *point.hw, plan, failure));
                const kernel::ScheduleFloor floor(*point.desc, *point.hw,
                                                  memoryTraits(*point.memory, *point.hw));
                EXPECT_LE(floor.leastCycles(*point.schedule, plan), point.floor_cycles);
              }).ok());
}

TEST(RandomTasks, AreLegalAndOfAllKinds) {
  sim::Rng rng(1);
  std::set<kernel::KernelKind> kinds;
  for (int i = 0; i < 200; ++i) {
    const TaskGroup group = drawTaskGroup(rng);
    EXPECT_TRUE(validateKernelDesc(group.desc, group.hw).ok());
    EXPECT_FALSE(group.memories.empty());
    kinds.insert(group.desc.kind);
  }
  EXPECT_EQ(kinds.size(), 4u);
}

TEST(Columns, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const Column& column : dataSetColumns())
    EXPECT_TRUE(names.insert(column.name).second) << column.name;
}

}  // namespace
}  // namespace vta::tune
