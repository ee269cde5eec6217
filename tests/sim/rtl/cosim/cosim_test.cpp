// Random programs on a dozen configurations: legal ones under three kinds of memory timing, faults,
// resets, bus errors; fewer on those that are made for a device. Every failure prints how to replay
// it.
#include "sim/rtl/cosim/cosim.h"
#include "sim/rtl/cosim/edge_programs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace vta::sim {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> configFiles() {
  std::vector<std::string> files = {VTA_SOURCE_DIR "/configs/hw/default.yaml"};
  for (const auto& entry : fs::directory_iterator(VTA_TEST_CONFIGS)) {
    files.push_back(entry.path().string());
  }
  std::sort(files.begin() + 1, files.end());
  return files;
}

class CosimTest : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Cosim> create(const CosimOptions& options = {}) {
    CosimOptions checked = options;
    checked.rtl.variant = ModelVariant::kChecked;
    checked.rtl.random_seed = 7;  // registers and scratchpads hold garbage at power-up
    const auto hw = loadHwConfig(GetParam());
    EXPECT_TRUE(hw.ok()) << hw.status().message();
    auto cosim = Cosim::create(*hw, ModelCache::standard(), checked);
    EXPECT_TRUE(cosim.ok()) << cosim.status().message();
    return cosim.ok() ? *std::move(cosim) : nullptr;
  }

  void expectOk(const Result<CosimReport>& report, uint64_t seed, const std::string& flags) {
    EXPECT_TRUE(report.ok()) << report.status().message() << "\nreplay: vta-cosim --hw "
                             << GetParam() << " --seed " << seed << flags;
    if (report.ok()) cycles_ += report->cycles;
  }

  uint64_t cycles_ = 0;
};

TEST_P(CosimTest, LegalPrograms) {
  const auto cosim = create();
  ASSERT_NE(cosim, nullptr);
  for (uint64_t seed = 1; seed <= 23 && !HasFailure(); ++seed) {
    const auto report = cosim->runLegal(seed);
    expectOk(report, seed, "");
    if (report.ok()) {
      EXPECT_GT(report->instructions, 8u);
    }
  }
  EXPECT_GT(cycles_, 1000u);
}

// Fields around powers of two and up to their largest: hardware with too few bits somewhere is
// found.
TEST_P(CosimTest, LargeFields) {
  CosimOptions options;
  options.program = RandomProgramOptions::largeFields();
  const auto cosim = create(options);
  ASSERT_NE(cosim, nullptr);
  for (uint64_t seed = 1; seed <= 6 && !HasFailure(); ++seed) {
    expectOk(cosim->runLegal(seed), seed, " --mode large");
  }
}

TEST_P(CosimTest, LegalProgramsWithDram) {
  CosimOptions options;
  options.rtl.memory = *resolveMemoryConfig("DDR3-1066");
  const auto cosim = create(options);
  ASSERT_NE(cosim, nullptr);
  for (uint64_t seed = 101; seed <= 108 && !HasFailure(); ++seed) {
    expectOk(cosim->runLegal(seed), seed, " --memory DDR3-1066");
  }
}

TEST_P(CosimTest, LegalProgramsWithRandomBackPressure) {
  for (uint64_t seed = 201; seed <= 208 && !HasFailure(); ++seed) {
    CosimOptions options;
    options.rtl.random_bus = RandomBusOptions{.seed = seed};
    const auto cosim = create(options);
    ASSERT_NE(cosim, nullptr);
    expectOk(cosim->runLegal(seed), seed, " --bus random");
  }
}

TEST_P(CosimTest, FaultsAreReportedAndTheNextLaunchWorks) {
  const auto cosim = create();
  ASSERT_NE(cosim, nullptr);
  int faults = 0;
  for (int i = 0; i < 2 * kInjectedFaultCount && !HasFailure(); ++i) {
    const uint64_t seed = 300 + static_cast<uint64_t>(i);
    const auto report =
        cosim->runFaulty(seed, static_cast<InjectedFault>(seed % kInjectedFaultCount));
    expectOk(report, seed, " --mode faults");
    if (!report.ok() || report->fault.empty()) continue;
    ++faults;
    expectOk(cosim->runLegal(seed), seed, " (behind a fault)");
  }
  EXPECT_GT(faults, kInjectedFaultCount);
}

TEST_P(CosimTest, ResetAtAnyMoment) {
  const auto cosim = create();
  ASSERT_NE(cosim, nullptr);
  for (uint64_t seed = 401; seed <= 406 && !HasFailure(); ++seed) {
    expectOk(cosim->runWithReset(seed), seed, " --mode resets");
  }
}

// The memory stops answering, the core is reset by its register, and the answers come late.
TEST_P(CosimTest, SoftResetOnABusThatAnswersLate) {
  for (uint64_t seed = 901; seed <= 906 && !HasFailure(); ++seed) {
    CosimOptions options;
    options.rtl.random_bus = RandomBusOptions{.seed = seed};
    const auto cosim = create(options);
    ASSERT_NE(cosim, nullptr);
    for (uint64_t launch = 0; launch < 4 && !HasFailure(); ++launch) {
      expectOk(cosim->runWithSoftReset(10 * seed + launch), seed, " --mode soft-resets");
    }
  }
}

TEST_P(CosimTest, EdgesEndAsInTheFunctionalModel) {
  const auto cosim = create();
  ASSERT_NE(cosim, nullptr);
  for (uint64_t seed = 0; seed < kEdgePrograms && !HasFailure(); ++seed) {
    expectOk(cosim->runEdge(seed), seed, " --mode edges");
  }
  expectOk(cosim->runLegal(800), 800, " (behind the edges)");
}

TEST_P(CosimTest, RegisterAccessesDisturbNothing) {
  const auto cosim = create();
  ASSERT_NE(cosim, nullptr);
  for (uint64_t seed = 701; seed <= 703 && !HasFailure(); ++seed) {
    expectOk(cosim->runAmongRegisterAccesses(seed), seed, " --mode registers");
  }
}

TEST_P(CosimTest, BusErrorsEndTheLaunch) {
  CosimOptions options;
  options.rtl.random_bus = RandomBusOptions{.seed = 5, .error_one_in = 60};
  const auto cosim = create(options);
  ASSERT_NE(cosim, nullptr);
  int faults = 0;
  for (uint64_t seed = 501; seed <= 510 && !HasFailure(); ++seed) {
    const auto report = cosim->runWithBusErrors(seed);
    expectOk(report, seed, " --mode bus-errors");
    if (report.ok() && report->fault.starts_with("bus error")) ++faults;
  }
  EXPECT_GT(faults, 0);
}

std::string configName(const testing::TestParamInfo<std::string>& info) {
  std::string name = fs::path(info.param).stem().string();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Configurations, CosimTest, testing::ValuesIn(configFiles()), configName);

std::vector<std::string> deviceConfigFiles() {
  std::vector<std::string> files;
  std::istringstream names(VTA_DEVICE_CONFIGS);
  for (std::string name; std::getline(names, name, ',');) {
    files.push_back(VTA_SOURCE_DIR "/configs/hw/" + name + ".yaml");
  }
  return files;
}

/// What boards get: arrays of hundreds of multipliers, whose models are slower.
class DeviceCosimTest : public CosimTest {};

TEST_P(DeviceCosimTest, LegalProgramsFaultsAndEdges) {
  const auto cosim = create();
  ASSERT_NE(cosim, nullptr);
  for (uint64_t seed = 1; seed <= 6 && !HasFailure(); ++seed) {
    expectOk(cosim->runLegal(seed), seed, "");
  }
  for (uint64_t seed = 0; seed < kInjectedFaultCount && !HasFailure(); ++seed) {
    expectOk(cosim->runFaulty(seed, static_cast<InjectedFault>(seed)), seed, " --mode faults");
  }
  for (uint64_t seed = 0; seed < kEdgePrograms && !HasFailure(); ++seed) {
    expectOk(cosim->runEdge(seed), seed, " --mode edges");
  }
}

TEST_P(DeviceCosimTest, LargeFields) {
  CosimOptions options;
  options.program = RandomProgramOptions::largeFields();
  const auto cosim = create(options);
  ASSERT_NE(cosim, nullptr);
  expectOk(cosim->runLegal(1), 1, " --mode large");
}

INSTANTIATE_TEST_SUITE_P(Configurations, DeviceCosimTest, testing::ValuesIn(deviceConfigFiles()),
                         configName);

// Not one moment left out: of whole launches, from the launch bit to beyond their end.
TEST(CosimResetTest, InEveryCycleOfALaunch) {
  const HwConfig hw = *loadHwConfig(VTA_TEST_CONFIGS "/tiny-1x2x4.yaml");
  CosimOptions options;
  options.rtl.variant = ModelVariant::kChecked;
  options.rtl.random_seed = 9;
  options.program = {.min_instructions = 4, .max_instructions = 8, .max_iterations = 30};
  const auto cosim = Cosim::create(hw, ModelCache::standard(), options);
  ASSERT_TRUE(cosim.ok()) << cosim.status().message();
  constexpr uint64_t kSeed = 600;
  const auto whole = (*cosim)->runLegal(kSeed);
  ASSERT_TRUE(whole.ok()) << whole.status().message();
  ASSERT_GT(whole->cycles, 100u);
  for (uint64_t cycles = 0; cycles < whole->cycles + 10; ++cycles) {
    const auto report = (*cosim)->runWithReset(kSeed, cycles);
    ASSERT_TRUE(report.ok()) << "reset after " << cycles << ": " << report.status().message();
    EXPECT_EQ(report->cycles, whole->cycles);
  }
}

// A test that compares nothing would pass too: a wrong reference must be noticed.
TEST(CosimSelfTest, ADifferenceIsFoundAndShown) {
  const HwConfig hw = *loadHwConfig(VTA_TEST_CONFIGS "/tiny-1x2x4.yaml");
  Rng rng(3);
  ProgramImage image = makeImage(randomProgram(hw, rng), hw, rng).value();
  ProgramImage other = image;
  // Another value in the data of the first load of micro-ops, and of everything behind it.
  for (size_t i = 0; i < 4096 && i < other.bytes.size() / 2; ++i) other.bytes[i] ^= std::byte{1};
  ImageDram dram(image);
  ImageDram other_dram(other);
  RtlOptions options;
  options.variant = ModelVariant::kChecked;
  auto simulator = RtlSimulator::create(hw, dram, ModelCache::standard(), options);
  ASSERT_TRUE(simulator.ok()) << simulator.status().message();
  auto checker = RetireChecker::create(hw, (*simulator)->model(), dram);
  ASSERT_TRUE(checker.ok());
  ASSERT_TRUE((*checker)->beginLaunch(streamOf(image, hw), image.bases, other_dram).ok());
  (*simulator)->setRetireObserver([&](int unit, uint32_t number) {
    return (*checker)->retire(unit, number, (*simulator)->totalCycles());
  });
  ASSERT_TRUE(
      (*simulator)->run({image.instruction_address, image.instruction_count, image.bases}).ok());
  const Status found = (*checker)->finish();
  ASSERT_FALSE(found.ok());
  EXPECT_NE(found.message().find("model:"), std::string::npos) << found.message();
  EXPECT_NE(found.message().find("RTL:"), std::string::npos) << found.message();
}

}  // namespace
}  // namespace vta::sim
