#include "tools/vta_run/full/html_memory.h"

#include <gtest/gtest.h>

#include "tests/module/two_machines.h"

namespace vta::tools {
namespace {

using test::kDeviceSpace;
using test::kVtaExecutor;

TEST(HtmlMemory, PartsAreUsesOfTheirWhole) {
  ModuleInfo module;
  test::addTwoMachines(module);
  module.tensors = {{"whole", DType::kI8, {128}, kDeviceSpace, 64, 128},
                    {"first", DType::kI8, {64}, kDeviceSpace, 64, 64, 0},
                    {"second", DType::kI8, {64}, kDeviceSpace, 128, 64, 0}};
  module.functions = {"f"};
  module.programs = {{kVtaExecutor, {{"", 0, 0}}, {1, 2, -1}}};
  module.steps = {
      {kCpuExecutor, 0, 0, {1}}, {kVtaExecutor, 0, 0, {1, 2}, 1, 0}, {kCpuExecutor, 0, 0, {0}}};
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
