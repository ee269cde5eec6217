// The version of the compiler is kept by hand. This test fails when the cycles of schedules change
// and the version does not: databases of both would be mixed.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "explore/tune/database/database.h"
#include "explore/tune/measure/simulator.h"
#include "explore/tune/space/vta_space.h"
#include "tests/explore/tune/tasks.h"

namespace vta::tune {
namespace {

/// FNV-1a.
void mix(uint64_t& hash, uint64_t value) {
  for (int byte = 0; byte < 8; ++byte) {
    hash = (hash ^ (value >> 8 * byte & 0xff)) * 1099511628211u;
  }
}

/// A layer with a group of its own for each of four channel blocks.
Task byChannel(const HwConfig& hw) {
  Task task = testing::smallTask();
  task.hw = hw;
  task.desc.geometry.groups = task.desc.geometry.in_channel_blocks = 4;
  return task;
}

/// Layers whose programs differ in what they use: padding, strides, a single pixel, wide images;
/// groups, pooling, additions; another accelerator; a memory with rows.
std::vector<Task> referenceTasks() {
  // With the bursts and the clock that the fingerprint was made for, whatever the shipped file has.
  HwParams params = loadHwConfig(VTA_SOURCE_DIR "/configs/hw/zynq-7020.yaml")->params();
  params.axi_outstanding_bursts = 8;
  params.clock_hz = 100'000'000;
  const HwConfig zynq = *HwConfig::create(params);
  const sim::MemoryConfig ddr = *sim::resolveMemoryConfig("ddr3-1066");
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
  for (const HwConfig& hw : {HwConfig::makeDefault(), zynq}) {
    tasks.push_back(byChannel(hw));
    Task pool = byChannel(hw);
    pool.desc.kind = kernel::KernelKind::kMaxPool;
    pool.desc.geometry.pad_value = -128;
    pool.desc.epilogue.clear();
    pool.desc.num_params = 0;
    tasks.push_back(std::move(pool));
    Task residual = testing::smallTask();
    residual.hw = hw;
    residual.desc.residual.emplace();
    residual.desc.epilogue.insert(residual.desc.epilogue.begin(),
                                  {AluOpcode::kAdd, kernel::EpilogueStep::Source::kResidual, 0, 0});
    tasks.push_back(std::move(residual));
  }
  // The same with a memory that has rows and refreshes.
  const size_t count = tasks.size();
  for (size_t i = 0; i < count; ++i) {
    tasks.push_back(tasks[i]);
    tasks.back().memory = ddr;
  }
  return tasks;
}

TEST(CompilerVersion, ChangesWithTheCyclesOfSchedules) {
  const auto measurer = makeLocalMeasurer();
  uint64_t hash = 14695981039346656037u;
  for (const Task& task : referenceTasks()) {
    const auto space = VtaSpace::create(task);
    ASSERT_TRUE(space.ok()) << space.status().message();
    ASSERT_TRUE(measurer->begin(task).ok());
    // Some of each space, whatever its size is.
    const auto step = static_cast<Candidate>(std::max<size_t>(1, space->size() / 24));
    for (Candidate i = 0; i < space->size(); i += step) {
      const Measurement measured = measurer->measure({&space->schedule(i), 1}, kAnyCycles).front();
      ASSERT_EQ(measured.outcome, Outcome::kCycles) << measured.error;
      mix(hash, measured.cycles);
    }
  }
  EXPECT_EQ(hash, kCyclesFingerprint)
      << "cycles of schedules are others than those of version " << kCompilerVersion
      << ". Raise kCompilerVersion in explore/tune/database/database.h and make kCyclesFingerprint "
      << hash << "u, so that no schedule is chosen by cycles of an older compiler";
}

}  // namespace
}  // namespace vta::tune
