// Default schedules of real layers on every shipped configuration.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "compiler/kernel/lower.h"
#include "compiler/kernel/schedule/cost_model.h"
#include "compiler/kernel/schedule/schedule_space.h"
#include "isa/program/verify/verifier.h"
#include "tests/compiler/kernel/resnet18.h"

namespace vta::kernel::testing {
namespace {

std::vector<HwConfig> shippedConfigs() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(VTA_SOURCE_DIR "/configs/hw")) {
    if (entry.path().extension() == ".yaml") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<HwConfig> configs;
  for (const std::filesystem::path& path : paths) {
    const Result<HwConfig> hw = loadHwConfig(path);
    EXPECT_TRUE(hw.ok()) << hw.status().message();
    if (hw.ok()) configs.push_back(*hw);
  }
  return configs;
}

TEST(ShippedConfigs, EveryResNet18LayerHasALegalDefaultProgram) {
  const std::vector<HwConfig> configs = shippedConfigs();
  ASSERT_GE(configs.size(), 6u);
  for (const HwConfig& hw : configs) {
    for (const KernelDesc& desc : resnet18Kernels(hw)) {
      SCOPED_TRACE(desc.name + " on " + hw.name());
      const Result<Schedule> schedule = defaultSchedule(desc, hw);
      ASSERT_TRUE(schedule.ok()) << schedule.status().message();
      EXPECT_EQ(schedule->virtual_threads, 2) << schedule->toString();
      const Result<Program> program = lower(desc, *schedule, hw);
      ASSERT_TRUE(program.ok()) << program.status().message();
      const Status legal = verifyProgramStatus(*program, hw);
      EXPECT_TRUE(legal.ok()) << legal.message();
    }
  }
}

// What the design asks of default schedules: convolutions keep the GEMM core busy.
TEST(ShippedConfigs, DefaultConvolutionsAreBoundByTheGemmCore) {
  const HwConfig hw = HwConfig::makeDefault();
  for (const KernelDesc& desc : resnet18Kernels(hw)) {
    const Geometry& g = desc.geometry;
    if (desc.kind != KernelKind::kContraction || g.kernel_height == 1) continue;
    const Result<Schedule> schedule = defaultSchedule(desc, hw);
    ASSERT_TRUE(schedule.ok());
    const double ideal = static_cast<double>(desc.macs(hw)) / (hw.blockIn() * hw.blockOut());
    EXPECT_GT(ideal / estimateCost(desc, *schedule, hw).cycles, 0.9)
        << desc.name << " with " << schedule->toString();
  }
}

}  // namespace
}  // namespace vta::kernel::testing
