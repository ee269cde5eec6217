// Default schedules of whole networks on the cycle simulator, against what the configuration
// implies: the bounds of their layers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "isa/program/verify/verifier.h"
#include "tests/compiler/kernel/cycles/network_program.h"

namespace vta::kernel::testing {
namespace {

constexpr const char* kPage = VTA_SOURCE_DIR "/docs/performance.md";

// The cells of the row that begins with `name` in the table of networks of the performance page;
// empty if there is none.
std::vector<std::string> publishedRow(const std::string& name) {
  std::ifstream page(kPage);
  std::string line;
  while (std::getline(page, line) && line != "<!-- begin cycles_networks -->") continue;
  while (std::getline(page, line) && line != "<!-- end cycles_networks -->") {
    if (!line.starts_with("| " + name + " |")) continue;
    std::vector<std::string> cells;
    std::istringstream row(line.substr(1));
    for (std::string cell; std::getline(row, cell, '|');) {
      std::erase_if(cell, [](char c) { return c == ' ' || c == ','; });
      cells.push_back(cell);
    }
    return cells;
  }
  return {};
}

// Whether candidates are simulated. That takes most of the time, so the other configurations show
// what the model finds alone.
bool simulatesCandidates(const HwConfig& hw) { return hw.name() == "default"; }

// Cycles are exact, so a difference means that the compiler or the simulator has changed: then the
// page needs its tables again (scripts/benchmarks).
void expectPublished(const std::string& network, const HwConfig& hw, double cycles) {
  const std::vector<std::string> row = publishedRow(network + ", " + hw.name());
  constexpr size_t kCycles = 2;
  constexpr size_t kCyclesOfModelAlone = 4;
  ASSERT_GT(row.size(), kCyclesOfModelAlone) << "no row for " << network << " in " << kPage;
  EXPECT_EQ(row[simulatesCandidates(hw) ? kCycles : kCyclesOfModelAlone],
            std::to_string(static_cast<uint64_t>(cycles)))
      << network << " on " << hw.name() << ", published in " << kPage;
}

struct Cycles {
  double bound = 0;
  double one_by_one = 0;
  double together = 0;
};

Cycles measure(std::span<const NetworkLayer> layers, const HwConfig& hw) {
  Cycles cycles;
  Result<sim::ProgramTimer> timer = sim::ProgramTimer::create(hw);
  EXPECT_TRUE(timer.ok()) << timer.status().message();
  const auto schedules = chooseSchedules(layers, hw, simulatesCandidates(hw) ? &*timer : nullptr);
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
  expectPublished("ResNet-18", hw(), cycles.together);
}

TEST_P(NetworkCycles, MobileNetsAreCloseToTheirBounds) {
  for (const char* network : {"mobilenetv1", "mobilenetv2"}) {
    SCOPED_TRACE(network);
    const Cycles cycles = measure(networks().at(network)(hw()), hw());
    EXPECT_LT(cycles.together, cycles.bound / 0.85);
    EXPECT_LT(cycles.together, cycles.one_by_one);
    if (network == std::string("mobilenetv2")) {
      expectPublished("MobileNetV2", hw(), cycles.together);
    }
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

// A layer whose ALU has work all the time: where the ALU has fewer lanes, its order of accumulators
// still costs the GEMM core next to nothing. Neighbour after neighbour would cost up to a tenth.
TEST(AluOrder, StaysOutOfTheGemmCoresWay) {
  KernelDesc desc;
  desc.name = "conv";
  Geometry& g = desc.geometry;
  g.in_channel_blocks = 2;
  g.in_height = g.in_width = g.out_height = g.out_width = 56;
  g.kernel_height = g.kernel_width = 3;
  g.pad_top = g.pad_left = g.pad_bottom = g.pad_right = 1;
  desc.epilogue = {{.opcode = AluOpcode::kShr, .imm = 8}, {.opcode = AluOpcode::kMax, .imm = 0}};
  for (const auto& [passes, banks] : {std::pair{2, 2}, {2, 4}, {4, 2}, {4, 4}}) {
    SCOPED_TRACE(std::to_string(passes) + " passes, " + std::to_string(banks) + " banks");
    HwParams params = HwConfig::makeDefault().params();
    params.alu_passes = passes;
    params.acc_banks = banks;
    const HwConfig hw = *HwConfig::create(params);
    const std::vector<NetworkLayer> layers = {{desc}};
    const std::vector<Schedule> schedules = *chooseSchedules(layers, hw, nullptr);
    const Result<NetworkProgram> network = lowerNetwork(layers, schedules, hw);
    ASSERT_TRUE(network.ok()) << network.status().message();
    Result<sim::ProgramTimer> timer = sim::ProgramTimer::create(hw);
    ASSERT_TRUE(timer.ok());
    const Bound bound = boundOf(desc, hw);
    EXPECT_LT(static_cast<double>(timer->run(network->layers[0])->cycles),
              1.05 * (bound.gemm_cycles + bound.reset_cycles));
  }
}

}  // namespace
}  // namespace vta::kernel::testing
