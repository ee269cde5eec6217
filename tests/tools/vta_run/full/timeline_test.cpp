#include "tools/vta_run/full/timeline.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>

namespace vta::tools {
namespace {

// A launch of LOADs of weights: instruction i runs in [events[i].started, events[i].retired].
class TimelineTest : public ::testing::Test {
 protected:
  void addLaunch(const std::vector<InstructionTimes>& events, uint64_t cycles) {
    auto program = std::make_unique<Program>();
    MemInsn mem;
    mem.memory_type = MemoryType::kWgt;
    program->instructions.assign(events.size(), Instruction::load(mem));
    auto trace = std::make_shared<Recording>();
    trace->cycles = cycles;
    trace->instructions = events;
    driver::StepProfile& profile = addStep();
    profile.trace = std::move(trace);
    profile.program = program.get();
    programs_.push_back(std::move(program));
  }

  driver::StepProfile& addStep() {
    driver::StepProfile& profile = result_.profile.emplace_back();
    profile.first_step = static_cast<uint32_t>(result_.profile.size() - 1);
    return profile;
  }

  const std::vector<std::string_view> names_{8, "layer"};
  driver::RunResult result_;
  std::vector<std::unique_ptr<Program>> programs_;
};

TEST_F(TimelineTest, LaunchesFollowEachOther) {
  addLaunch({{0, 10, 19, 12, 15}, {1, 15, 24, 16, 20}, {2, 20, 29}}, 40);
  addStep();  // of the host
  addLaunch({{0, 5, 9, 6, 9}, {0, InstructionTimes::kNever, 0}}, 20);
  const Timeline timeline = makeTimeline(result_, names_);
  EXPECT_EQ(timeline.cycles, 60u);
  EXPECT_EQ(timeline.instructions, 4u);
  EXPECT_EQ(timeline.joined_cycles, 0u);
  ASSERT_EQ(timeline.bars.size(), 4u);
  const auto expect = [&](size_t i, uint32_t layer, uint64_t begin, uint64_t end, uint64_t from,
                          uint64_t until) {
    SCOPED_TRACE(i);
    EXPECT_EQ(timeline.bars[i].track, UnitTrack::kLoad);
    EXPECT_EQ(timeline.bars[i].layer, layer);
    EXPECT_EQ(timeline.bars[i].begin_cycle, begin);
    EXPECT_EQ(timeline.bars[i].end_cycle, end);
    EXPECT_EQ(timeline.bars[i].work_begin_cycle, from);
    EXPECT_EQ(timeline.bars[i].work_end_cycle, until);
    EXPECT_EQ(timeline.bars[i].instructions, 1u);
  };
  expect(0, 0, 10, 20, 12, 16);
  expect(1, 0, 15, 25, 16, 21);
  expect(2, 0, 20, 30, 20, 20);  // no work was recorded
  expect(3, 2, 45, 50, 46, 50);
  ASSERT_EQ(timeline.layers.size(), 2u);
  EXPECT_EQ(timeline.layers[0].layer, 0u);
  EXPECT_EQ(timeline.layers[0].end_cycle, 40u);
  EXPECT_EQ(timeline.layers[1].layer, 2u);
  EXPECT_EQ(timeline.layers[1].begin_cycle, 40u);
  EXPECT_EQ(timeline.layers[1].end_cycle, 60u);
}

TEST_F(TimelineTest, LayersOfOneLaunchShareItsCycles) {
  addLaunch({{0, 0, 9}, {0, 5, 19}, {0, 10, 29}, {0, 25, 34}}, 40);
  programs_.back()->symbols = {{0, "a"}, {1, "b"}, {2, "a"}, {3, "b"}};
  result_.profile.back().step_count = 2;
  const std::vector<std::string_view> names = {"a", "b"};
  programs_.back()->instructions[1] = Instruction::finish();  // the compute unit is ahead
  const Timeline timeline = makeTimeline(result_, names);
  ASSERT_EQ(timeline.layers.size(), 2u);
  EXPECT_EQ(timeline.layers[0].end_cycle, 30u);
  EXPECT_EQ(timeline.layers[1].layer, 1u);
  EXPECT_EQ(timeline.layers[1].begin_cycle, 30u);
  EXPECT_EQ(timeline.layers[1].end_cycle, 40u);
  std::map<uint32_t, uint32_t> layers;
  for (const TimelineBar& bar : timeline.bars) layers[bar.first_instruction] = bar.layer;
  EXPECT_EQ(layers, (std::map<uint32_t, uint32_t>{{0, 0}, {1, 1}, {2, 0}, {3, 1}}));
}

TEST_F(TimelineTest, JoinedBarsWorkFromTheFirstToTheLast) {
  addLaunch({{0, 0, 9}, {0, 5, 19, 10, 14}, {0, 15, 29, 20, 25}}, 40);
  Timeline timeline = makeTimeline(result_, names_);
  thinTimeline(timeline, 1);
  ASSERT_EQ(timeline.bars.size(), 1u);
  EXPECT_EQ(timeline.bars[0].instructions, 3u);
  EXPECT_EQ(timeline.bars[0].end_cycle, 30u);
  EXPECT_EQ(timeline.bars[0].work_begin_cycle, 10u);
  EXPECT_EQ(timeline.bars[0].work_end_cycle, 26u);
}

TEST_F(TimelineTest, ThinningKeepsEveryInstructionAndStaysInALayer) {
  for (int layer = 0; layer < 3; ++layer) {
    std::vector<InstructionTimes> events;
    for (uint64_t i = 0; i < 1000; ++i) events.push_back({0, 10 * i, 10 * i + 7});
    addLaunch(events, 10'000);
  }
  Timeline timeline = makeTimeline(result_, names_);
  ASSERT_EQ(timeline.bars.size(), 3000u);
  thinTimeline(timeline, 3000);
  EXPECT_EQ(timeline.bars.size(), 3000u);
  EXPECT_EQ(timeline.joined_cycles, 0u);

  thinTimeline(timeline, 500);
  EXPECT_LE(timeline.bars.size(), 500u);
  EXPECT_GT(timeline.bars.size(), 100u) << "thinner than asked for";
  uint64_t instructions = 0;
  for (const TimelineBar& bar : timeline.bars) {
    instructions += bar.instructions;
    EXPECT_LE(bar.end_cycle - bar.begin_cycle, timeline.joined_cycles);
    EXPECT_EQ(bar.begin_cycle / 10'000, (bar.end_cycle - 1) / 10'000) << "bar over two layers";
    EXPECT_EQ(bar.begin_cycle, 10'000 * bar.layer + uint64_t{10} * bar.first_instruction);
  }
  EXPECT_EQ(instructions, 3000u);

  thinTimeline(timeline, 1);
  EXPECT_EQ(timeline.bars.size(), 3u) << "one for each layer is the least";
}

}  // namespace
}  // namespace vta::tools
