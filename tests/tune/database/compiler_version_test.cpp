// The version of the compiler is kept by hand. This test fails when the cycles of schedules change
// and the version does not: databases of both would be mixed.
#include <gtest/gtest.h>

#include "tests/tune/tasks.h"
#include "tune/database/database.h"
#include "tune/measure/simulator.h"
#include "tune/space/vta_space.h"

namespace vta::tune {
namespace {

/// FNV-1a.
void mix(uint64_t& hash, uint64_t value) {
  for (int byte = 0; byte < 8; ++byte) {
    hash = (hash ^ (value >> 8 * byte & 0xff)) * 1099511628211u;
  }
}

/// Layers whose programs differ in what they use: padding, strides, a single pixel, wide images.
std::vector<Task> referenceTasks() {
  std::vector<Task> tasks(3, testing::smallTask());
  tasks[1].desc.geometry = {.in_channel_blocks = 3,
                            .out_channel_blocks = 2,
                            .in_height = 15,
                            .in_width = 15,
                            .out_height = 8,
                            .out_width = 8,
                            .kernel_height = 1,
                            .kernel_width = 1,
                            .stride_y = 2,
                            .stride_x = 2};
  tasks[2].desc.geometry.in_channel_blocks = 4;
  tasks[2].desc.geometry.out_channel_blocks = 1;
  return tasks;
}

TEST(CompilerVersion, ChangesWithTheCyclesOfSchedules) {
  const auto measurer = makeLocalMeasurer();
  uint64_t hash = 14695981039346656037u;
  for (const Task& task : referenceTasks()) {
    const auto space = VtaSpace::create(task);
    ASSERT_TRUE(space.ok()) << space.status().message();
    ASSERT_TRUE(measurer->begin(task).ok());
    for (Candidate i = 0; i < space->size(); i += 7) {
      const Measurement measured = measurer->measure({&space->schedule(i), 1}, kAnyCycles).front();
      ASSERT_EQ(measured.outcome, Outcome::kCycles) << measured.error;
      mix(hash, measured.cycles);
    }
  }
  EXPECT_EQ(hash, kCyclesFingerprint)
      << "cycles of schedules are others than those of version " << kCompilerVersion
      << ". Raise kCompilerVersion in tune/database/database.h and make kCyclesFingerprint " << hash
      << "u, so that no schedule is chosen by cycles of an older compiler";
}

}  // namespace
}  // namespace vta::tune
