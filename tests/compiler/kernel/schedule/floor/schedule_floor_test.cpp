#include "compiler/kernel/schedule/floor/schedule_floor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "compiler/kernel/lower.h"
#include "compiler/kernel/plan/kernel_plan.h"
#include "compiler/kernel/schedule/schedule_space.h"
#include "tests/compiler/kernel/cycles/network_program.h"

namespace vta::kernel::testing {
namespace {

enum class Memory : uint8_t { kSimple, kFarAway, kNarrow };

struct Case {
  const char* network;
  const char* layer;
  const char* hw;
  Memory memory = Memory::kSimple;
  double tightest = 0.75;  // the share of the cycles that some floor reaches at least
};

sim::MemoryConfig memoryOf(Memory kind) {
  sim::MemoryConfig memory;
  if (kind == Memory::kFarAway) memory.simple.latency_cycles = 200;
  if (kind != Memory::kNarrow) return memory;
  memory.simple = {.latency_cycles = 7, .beats_numerator = 2, .beats_denominator = 3};
  memory.outstanding = 3;
  return memory;
}

MemoryTraits traitsOf(const sim::MemoryConfig& memory) {
  MemoryTraits traits;
  traits.latency_cycles = traits.least_latency_cycles = memory.simple.latency_cycles;
  traits.cycles_per_beat = static_cast<double>(memory.simple.beats_denominator) /
                           static_cast<double>(memory.simple.beats_numerator);
  traits.outstanding_bursts = memory.outstanding;
  return traits;
}

class ScheduleFloors : public ::testing::TestWithParam<Case> {};

// A search leaves out what the floors say: they may be low, and never too high.
TEST_P(ScheduleFloors, AreNeverAboveTheCycles) {
  const Case& c = GetParam();
  const HwConfig hw = *loadHwConfig(std::string(VTA_SOURCE_DIR "/configs/hw/") + c.hw + ".yaml");
  const std::vector<NetworkLayer> layers = networks().at(c.network)(hw);
  const auto layer =
      std::ranges::find_if(layers, [&](const NetworkLayer& l) { return l.desc.name == c.layer; });
  ASSERT_NE(layer, layers.end());
  const KernelDesc& desc = layer->desc;
  const sim::MemoryConfig memory = memoryOf(c.memory);
  Result<sim::ProgramTimer> timer = sim::ProgramTimer::create(hw, memory);
  ASSERT_TRUE(timer.ok());
  const MemoryTraits traits = traitsOf(memory);
  const ScheduleFloor floor(desc, hw, traits);
  const std::vector<Schedule> space = enumerateSchedules(desc, hw);
  constexpr size_t kSamples = 60;
  double tightest = 0;
  for (size_t i = 0; i < space.size(); i += space.size() / kSamples + 1) {
    SCOPED_TRACE(space[i].toString());
    KernelPlan plan;
    PlanFailure failure;
    ASSERT_TRUE(makePlan(desc, space[i], hw, plan, failure));
    const Result<Program> program = lower(desc, space[i], hw);
    ASSERT_TRUE(program.ok());
    const auto counters = timer->run(*program);
    ASSERT_TRUE(counters.ok());
    const uint64_t before = floor.leastCycles(space[i], plan);
    const uint64_t after = leastCycles(*program, hw, traits);
    EXPECT_LE(before, counters->cycles);
    EXPECT_LE(after, counters->cycles);
    tightest =
        std::max(tightest, static_cast<double>(before) / static_cast<double>(counters->cycles));
  }
  EXPECT_GT(tightest, c.tightest);
}

INSTANTIATE_TEST_SUITE_P(
    Layers, ScheduleFloors,
    ::testing::Values(Case{"resnet18", "layer2.0.down", "default"},
                      Case{"resnet18", "layer4.0.conv1", "vta-0.0.2"},
                      Case{"resnet18", "layer3.0.down", "tiny-buffers"},
                      Case{"mobilenetv2", "block7.depthwise", "default"},
                      Case{"mobilenetv2", "block4.project", "vta-0.0.2"},
                      Case{"resnet18", "conv1+maxpool", "default"},
                      Case{"resnet18", "layer4.0.conv2", "default", Memory::kFarAway},
                      Case{"resnet18", "layer2.0.conv1", "default", Memory::kNarrow},
                      Case{"mobilenetv2", "block6.project", "default", Memory::kFarAway},
                      Case{"mobilenetv2", "block1.depthwise", "default", Memory::kFarAway},
                      Case{"squeezenet", "pool4", "default", Memory::kFarAway, 0.7},
                      Case{"squeezenet", "fire2.expand1x1", "default", Memory::kFarAway, 0.95},
                      Case{"squeezenet", "fire9.expand3x3", "vta-0.0.2", Memory::kFarAway},
                      Case{"squeezenet", "avgpool", "default", Memory::kNarrow},
                      Case{"resnet18", "layer1.0.conv1", "zu3eg", Memory::kFarAway}),
    [](const auto& info) { return std::to_string(info.index); });

}  // namespace
}  // namespace vta::kernel::testing
