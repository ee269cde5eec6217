#include "compiler/module/step_list.h"

#include <gtest/gtest.h>

namespace vta::compiler {
namespace {

constexpr uint64_t kAlignmentBytes = 64;
const Tensor kRow{DType::kI8, {64}, {}};

class StepListTest : public ::testing::Test {
 protected:
  uint32_t add(const char* name, Storage storage = Storage::kDevice) {
    return steps_.addActivation(name, kRow, storage);
  }
  void step(StepInfo::Kind kind, std::vector<uint32_t> arguments) {
    StepInfo step;
    step.kind = kind;
    step.symbol = "function";
    step.arguments = std::move(arguments);
    steps_.addStep(std::move(step), {});
  }
  void host(std::vector<uint32_t> arguments) { step(StepInfo::Kind::kHost, std::move(arguments)); }
  void launch(std::vector<uint32_t> arguments) { step(StepInfo::Kind::kVta, std::move(arguments)); }
  ModuleInfo finish() {
    ModuleInfo info;
    steps_.finish(kAlignmentBytes, info);
    return info;
  }

  StepList steps_;
};

TEST_F(StepListTest, PartsLieInTheirWholeAndKeepIt) {
  const uint32_t whole = steps_.addActivation("whole", {DType::kI8, {128}, {}}, Storage::kDevice);
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
  EXPECT_EQ(info.tensors[second].storage, Storage::kDevice);
  EXPECT_EQ(info.device_arena_bytes, 192u);  // "result" takes the place of "between"
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
  EXPECT_EQ(info.device_arena_bytes, 4 * 64u);
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
  EXPECT_EQ(finish().device_arena_bytes, 2 * 64u);
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
  EXPECT_EQ(info.device_arena_bytes, 4 * 64u);
}

}  // namespace
}  // namespace vta::compiler
