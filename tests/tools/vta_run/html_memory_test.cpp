#include "tools/vta_run/html_memory.h"

#include <gtest/gtest.h>

namespace vta::tools {
namespace {

TEST(HtmlMemory, PartsAreUsesOfTheirWhole) {
  ModuleInfo module;
  module.tensors = {{"whole", DType::kI8, {128}, Storage::kDevice, 64, 128},
                    {"first", DType::kI8, {64}, Storage::kDevice, 64, 64, 0},
                    {"second", DType::kI8, {64}, Storage::kDevice, 128, 64, 0}};
  module.steps = {{StepInfo::Kind::kHost, 0, "f", {1}, 1, 0, {}},
                  {StepInfo::Kind::kVta, 0, "f", {1, 2}, 1, 0, {1, 2, -1}},
                  {StepInfo::Kind::kHost, 0, "f", {0}, 1, 0, {}}};
  const nlohmann::ordered_json areas = dramMap(module);
  ASSERT_EQ(areas.size(), 1u);
  ASSERT_EQ(areas[0]["tensors"].size(), 1u);
  const nlohmann::ordered_json& tensor = areas[0]["tensors"][0];
  EXPECT_EQ(tensor["name"], "whole");
  EXPECT_EQ(tensor["offset"], 64);
  EXPECT_EQ(tensor["first"], 0);
  EXPECT_EQ(tensor["last"], 2);
}

}  // namespace
}  // namespace vta::tools
