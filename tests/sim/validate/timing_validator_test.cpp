// RTL and cycle simulator agree on every cycle count, counter, dispatch, start and retirement:
// random programs on configurations with buses of 64 to 512 bits, three memories; a fifth of them
// is faulty or meets a bus error.
#include "sim/validate/timing_validator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

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

void validate(const std::string& config, const std::string& memory, uint64_t first_seed,
              uint64_t programs, const RandomProgramOptions& options = {}) {
  const auto hw = loadHwConfig(config);
  ASSERT_TRUE(hw.ok()) << hw.status().message();
  const auto memory_config = resolveMemoryConfig(memory);
  ASSERT_TRUE(memory_config.ok()) << memory_config.status().message();
  const auto validator = TimingValidator::create(*hw, ModelCache::standard(), *memory_config);
  ASSERT_TRUE(validator.ok()) << validator.status().message();
  uint64_t cycles = 0;
  uint64_t faulty = 0;
  for (uint64_t seed = first_seed; seed < first_seed + programs; ++seed) {
    const auto comparison = (*validator)->compareRandom(seed, troubleOf(seed, 5), options);
    ASSERT_TRUE(comparison.ok()) << comparison.status().message();
    cycles += comparison->cycles;
    faulty += comparison->faulted ? 1 : 0;
    for (const std::string& line : comparison->differences) {
      ADD_FAILURE() << line << "\nreplay: vta-validate --hw " << config << " --memory " << memory
                    << " --seed " << seed << " --programs 1"
                    << (options.large_fields ? " --large-fields" : "");
    }
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(cycles, 100 * programs);
  EXPECT_GT(faulty, 0u);
}

class TimingValidatorTest : public testing::TestWithParam<std::string> {};

TEST_P(TimingValidatorTest, SimpleMemory) { validate(GetParam(), "simple", 1, 20); }

TEST_P(TimingValidatorTest, LargeFields) {
  validate(GetParam(), "simple", 1, 6, RandomProgramOptions::largeFields());
}

// In the first program a fault stops the core between the ends of two loads and their retirement.
TEST(TimingValidator, AFaultBetweenTheEndOfALoadAndItsRetirement) {
  validate(VTA_TEST_CONFIGS "/concurrent-1x4x4.yaml", "DDR3-1066", 285, 3);
}

TEST_P(TimingValidatorTest, Dram) {
  // Half of the configurations see one DRAM, half the other.
  const bool first = std::hash<std::string>()(fs::path(GetParam()).stem().string()) % 2 == 0;
  validate(GetParam(), first ? "DDR3-1066" : "DDR4-2400", 101, 20);
}

INSTANTIATE_TEST_SUITE_P(Configs, TimingValidatorTest, testing::ValuesIn(configFiles()),
                         [](const testing::TestParamInfo<std::string>& info) {
                           std::string name = fs::path(info.param).stem().string();
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace vta::sim
