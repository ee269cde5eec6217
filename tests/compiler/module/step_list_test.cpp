#include "compiler/module/step_list.h"

#include <gtest/gtest.h>

namespace vta::compiler {
namespace {

constexpr uint64_t kAlignmentBytes = 64;
const Tensor kRow{DType::kI8, {64}, {}};

class StepListTest : public ::testing::Test {
 protected:
  uint32_t add(const char* name, uint32_t space = kDeviceSpace) {
    return steps_.addActivation(name, kRow, space);
  }
  void step(uint32_t executor, std::vector<uint32_t> arguments) {
    StepInfo step;
    step.executor = executor;
    const uint32_t function = steps_.addFunction("function");
    if (executor == kVtaExecutor) {
      step.reference = static_cast<int32_t>(function);
      step.entry = steps_.addProgram({});
    }
    step.arguments = std::move(arguments);
    steps_.addStep(std::move(step), {});
  }
  void host(std::vector<uint32_t> arguments) { step(kCpuExecutor, std::move(arguments)); }
  void launch(std::vector<uint32_t> arguments) { step(kVtaExecutor, std::move(arguments)); }
  ModuleInfo finish() {
    ModuleInfo info;
    info.executors = standardExecutors(HwConfig::makeDefault());
    steps_.finish(kAlignmentBytes, info);
    return info;
  }

  StepList steps_;
};

// Steps that share a function compute layers of other names than it has.
TEST_F(StepListTest, LayersOfAFunctionAreThoseOfItsOnlyStep) {
  for (const size_t steps : {1, 2}) {
    steps_ = {};
    for (size_t i = 0; i < steps; ++i) host({add("row", kHostSpace)});
    launch({add("other")});  // has the function as its reference only
    steps_.addParts("function", {{"a", "Conv", 5}, {"b", "Relu", 0}});
    const ModuleInfo info = finish();
    ASSERT_EQ(info.layers.size(), steps + 1);
    EXPECT_EQ(info.layers.front().parts.size(), steps == 1 ? 2U : 0U);
    EXPECT_TRUE(info.layers.back().parts.empty());
  }
}

TEST_F(StepListTest, PartsLieInTheirWholeAndKeepIt) {
  const uint32_t whole = steps_.addActivation("whole", {DType::kI8, {128}, {}}, kDeviceSpace);
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
  EXPECT_EQ(info.tensors[second].space, kDeviceSpace);
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

}  // namespace
}  // namespace vta::compiler
