// Default schedules of whole networks on the cycle simulator, against what the configuration
// implies: the bounds of their layers.
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>

#include "program/verify/verifier.h"
#include "tests/compiler/kernel/cycles/network_program.h"

namespace vta::kernel::testing {
namespace {

struct Cycles {
  double bound = 0;
  double one_by_one = 0;
  double together = 0;
};

Cycles measure(std::span<const NetworkLayer> layers, const HwConfig& hw) {
  Cycles cycles;
  Result<sim::ProgramTimer> timer = sim::ProgramTimer::create(hw);
  EXPECT_TRUE(timer.ok()) << timer.status().message();
  // Simulating candidates takes most of the time: the others show what the model finds alone.
  const bool simulated = hw.name() == "default";
  const auto schedules = chooseSchedules(layers, hw, simulated ? &*timer : nullptr);
  EXPECT_TRUE(schedules.ok()) << schedules.status().message();
  const Result<NetworkProgram> network = lowerNetwork(layers, *schedules, hw);
  EXPECT_TRUE(network.ok()) << network.status().message();
  for (const NetworkLaunch& launch : network->launches) {
    const Status legal = verifyProgramStatus(launch.program, hw);
    EXPECT_TRUE(legal.ok()) << legal.message();
  }
  for (size_t i = 0; i < layers.size(); ++i) {
    cycles.bound += boundOf(layers[i].desc, hw).cycles(hw);
    const auto alone = timer->run(network->layers[i]);
    EXPECT_TRUE(alone.ok()) << alone.status().message();
    cycles.one_by_one += static_cast<double>(alone->cycles);
  }
  const auto together = runNetwork(*network, *timer);
  EXPECT_TRUE(together.ok()) << together.status().message();
  cycles.together = static_cast<double>(together->cycles);
  return cycles;
}

class NetworkCycles : public ::testing::TestWithParam<const char*> {
 protected:
  HwConfig hw() const {
    return *loadHwConfig(std::filesystem::path(VTA_SOURCE_DIR) / "configs/hw" /
                         (std::string(GetParam()) + ".yaml"));
  }
};

TEST_P(NetworkCycles, ResNet18IsCloseToItsBound) {
  const Cycles cycles = measure(networks().at("resnet18")(hw()), hw());
  EXPECT_LT(cycles.together, cycles.bound / 0.9);
  EXPECT_LT(cycles.together, cycles.one_by_one);
}

TEST_P(NetworkCycles, MobileNetsAreCloseToTheirBounds) {
  for (const char* network : {"mobilenetv1", "mobilenetv2"}) {
    SCOPED_TRACE(network);
    const Cycles cycles = measure(networks().at(network)(hw()), hw());
    EXPECT_LT(cycles.together, cycles.bound / 0.85);
    EXPECT_LT(cycles.together, cycles.one_by_one);
  }
}

INSTANTIATE_TEST_SUITE_P(ShippedConfigurations, NetworkCycles,
                         ::testing::Values("batched-4x16x16", "default", "large-1x32x32",
                                           "small-1x8x8", "tiny-buffers", "vta-0.0.2", "wide"),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name) c = std::isalnum(c) ? c : '_';
                           return name;
                         });

// Engines side by side, loads ahead: without, the same layers take a third more.
TEST(LatencyHiding, VirtualThreadsPay) {
  const HwConfig hw = HwConfig::makeDefault();
  const std::vector<NetworkLayer> layers = networks().at("resnet18")(hw);
  std::vector<Schedule> schedules = *chooseSchedules(layers, hw, nullptr);
  Result<sim::ProgramTimer> timer = sim::ProgramTimer::create(hw);
  ASSERT_TRUE(timer.ok());
  const auto cyclesOf = [&] {
    const Result<NetworkProgram> network = lowerNetwork(layers, schedules, hw);
    return static_cast<double>(runNetwork(*network, *timer)->cycles);
  };
  const double hidden = cyclesOf();
  for (Schedule& schedule : schedules) schedule.virtual_threads = 1;
  EXPECT_GT(cyclesOf(), 1.25 * hidden);
}

}  // namespace
}  // namespace vta::kernel::testing
