#include "compiler/module/step_list.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "module/gpu/gpu_ranges.h"

namespace vta::compiler {
namespace {

const Tensor kRow{DType::kI8, {64}, {}};

class StepListTest : public ::testing::Test {
 protected:
  StepListTest() { begin(); }
  uint32_t add(const char* name) { return addOn(vta_, name); }
  uint32_t addOn(uint32_t executor, const char* name) {
    return steps_.addActivation(name, kRow, steps_.activationsOf(executor));
  }
  void step(uint32_t executor, std::vector<uint32_t> arguments) {
    StepInfo step;
    step.executor = executor;
    const uint32_t function = steps_.addFunction("function");
    if (executor == vta_) {
      step.reference = static_cast<int32_t>(function);
      step.entry = steps_.addProgram({});
    }
    step.arguments = std::move(arguments);
    steps_.addStep(std::move(step), {});
  }
  void host(std::vector<uint32_t> arguments) { step(kCpuExecutor, std::move(arguments)); }
  void launch(std::vector<uint32_t> arguments) { step(vta_, std::move(arguments)); }
  ModuleInfo finish() {
    ModuleInfo info;
    steps_.finish(info);
    return info;
  }

  void begin() {
    steps_ = {};
    vta_ = steps_.addExecutor(vtaExecutor(HwConfig::makeDefault()), {"device"});
  }

  StepList steps_;
  uint32_t vta_ = 0;
};

// Steps that share a function compute layers of other names than it has.
TEST_F(StepListTest, LayersOfAFunctionAreThoseOfItsOnlyStep) {
  for (const size_t steps : {1, 2}) {
    begin();
    for (size_t i = 0; i < steps; ++i) host({addOn(kCpuExecutor, "row")});
    launch({add("other")});  // has the function as its reference only
    steps_.addParts(kCpuExecutor, "function", {{"a", "Conv", 5}, {"b", "Relu", 0}});
    const ModuleInfo info = finish();
    ASSERT_EQ(info.layers.size(), steps + 1);
    EXPECT_EQ(info.layers.front().parts.size(), steps == 1 ? 2U : 0U);
    EXPECT_TRUE(info.layers.back().parts.empty());
  }
}

TEST_F(StepListTest, PartsLieInTheirWholeAndKeepIt) {
  const uint32_t whole =
      steps_.addActivation("whole", {DType::kI8, {128}, {}}, steps_.activationsOf(vta_));
  const uint32_t first = steps_.addPart("first", kRow, whole, 0);
  launch({first});
  const uint32_t between = add("between");
  launch({between});
  const uint32_t second = steps_.addPart("second", kRow, whole, 64);
  launch({between, second});
  launch({whole, add("result")});
  const ModuleInfo info = finish();
  EXPECT_EQ(info.tensors[first].part_of, static_cast<int32_t>(whole));
  EXPECT_EQ(info.tensors[first].offset_bytes, info.tensors[whole].offset_bytes);
  EXPECT_EQ(info.tensors[second].offset_bytes, info.tensors[whole].offset_bytes + 64);
  EXPECT_EQ(info.tensors[second].space, info.findSpace(vta_, SpaceInfo::Contents::kActivations));
  EXPECT_EQ(info.deviceArenaBytes(), 192u);  // "result" takes the place of "between"
}

TEST_F(StepListTest, HostStepsDoNotOverwriteWhatALaunchBesideThemUses) {
  const uint32_t input = add("input");
  const uint32_t used = add("used");
  launch({input, used});
  const uint32_t late = add("late");
  launch({used, late});
  const uint32_t aside = add("aside");
  host({input, aside});
  host({late, add("result")});
  const ModuleInfo info = finish();
  // Without the launch that may still run, "aside" could lie where "used" was.
  EXPECT_NE(info.tensors[aside].offset_bytes, info.tensors[used].offset_bytes);
  EXPECT_NE(info.tensors[aside].offset_bytes, info.tensors[late].offset_bytes);
  EXPECT_EQ(info.deviceArenaBytes(), 4 * 64u);
}

TEST_F(StepListTest, ResultsThatAHostStepWaitsForFreeWhatIsInFront) {
  const uint32_t input = add("input");
  const uint32_t used = add("used");
  launch({input, used});
  const uint32_t late = add("late");
  launch({used, late});
  const uint32_t behind = add("behind");
  host({late, behind});
  host({behind, add("result")});
  EXPECT_EQ(finish().deviceArenaBytes(), 2 * 64u);
}

TEST_F(StepListTest, LaunchesThatNobodyWaitsForKeepTheirPlacesToTheEnd) {
  const uint32_t input = add("input");
  const uint32_t output = add("output");
  launch({input, output});
  const uint32_t one = add("one");
  host({one});
  const uint32_t two = add("two");
  host({one, two});
  const ModuleInfo info = finish();
  EXPECT_EQ(info.deviceArenaBytes(), 4 * 64u);
}

// A GPU may have more than a GiB in several buffers: what it binds at once lies in one of them.
TEST_F(StepListTest, LargeMemoryOfAGpuHasTensorsInRanges) {
  for (const int64_t mebibytes : {100, 400}) {
    begin();
    const uint32_t gpu = steps_.addExecutor(gpuExecutor(), gpuMemory());
    const Tensor rows{DType::kI8, {mebibytes << 20}, {}};
    std::vector<uint32_t> tensors;
    for (const char* name : {"a", "b", "c"}) {
      tensors.push_back(steps_.addActivation(name, rows, steps_.activationsOf(gpu)));
      steps_.keep(tensors.back());
    }
    const ModuleInfo info = finish();
    uint64_t most_bytes = 0;
    for (const uint32_t tensor : tensors) {
      const uint64_t offset_bytes = info.tensors[tensor].offset_bytes;
      most_bytes = std::max(most_bytes, offset_bytes);
      if (mebibytes == 100) continue;
      EXPECT_EQ(offset_bytes % kGpuRangeBytes, 0U);
    }
    // Smaller memory has no gaps.
    EXPECT_EQ(most_bytes, uint64_t{mebibytes == 400 ? 1024U : 200U} << 20);
  }
}

}  // namespace
}  // namespace vta::compiler
