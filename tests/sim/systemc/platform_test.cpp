// The example platform against the models that it wraps: same results, same cycles, same faults.
#include "sim/systemc/platform.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "compiler/kernel/lower.h"
#include "compiler/kernel/schedule/schedule_space.h"
#include "isa/registers/registers.h"
#include "isa/spec/timing.h"
#include "sim/random/inject_fault.h"
#include "sim/random/program_image.h"
#include "sim/random/random_config.h"
#include "sim/random/random_program.h"

// SystemC brings a main() that calls this one; the tests have their own.
int sc_main(int /*argc*/, char* /*argv*/[]) { return 0; }

namespace vta::sim {
namespace {

using sc_core::sc_time;

constexpr uint64_t kAddress = 0x10000;
constexpr uint64_t kBytes = 4 << 20;

// SystemC has one simulation per process, and no modules may be added once it runs.
class Platforms : public testing::Environment {
 public:
  void SetUp() override {
    const HwConfig hw = HwConfig::makeDefault();
    MemoryConfig slow;
    slow.simple.latency_cycles = 60;
    const MemoryConfig dram = *resolveMemoryConfig("DDR3-1066");
    for (const auto coding : {TlmCoding::kLooselyTimed, TlmCoding::kApproximatelyTimed}) {
      const std::string name = coding == TlmCoding::kLooselyTimed ? "loose" : "approximate";
      add(name, hw, coding, {});
      add(name + "_slow", hw, coding, {}, slow);
      add(name + "_dram", hw, coding, dram);
    }
    for (int seed = 0; seed < kRandomConfigs; ++seed) {
      Rng rng(static_cast<uint64_t>(seed));
      const HwConfig random = randomHwConfig(rng);
      add("loose_" + std::to_string(seed), random, TlmCoding::kLooselyTimed, {});
      add("approximate_" + std::to_string(seed), random, TlmCoding::kApproximatelyTimed, {});
    }
  }
  static Platform& get(const std::string& name) { return *platforms().at(name); }
  static constexpr int kRandomConfigs = 8;

 private:
  static std::map<std::string, std::unique_ptr<Platform>>& platforms() {
    static std::map<std::string, std::unique_ptr<Platform>> all;
    return all;
  }
  static void add(const std::string& name, const HwConfig& hw, TlmCoding coding,
                  const MemoryConfig& timing, std::optional<MemoryConfig> memory = std::nullopt) {
    PlatformOptions options;
    options.coding = coding;
    options.timing = timing;
    options.memory = std::move(memory);
    options.memory_address = kAddress;
    options.memory_bytes = kBytes;
    auto platform = Platform::create(name, hw, options);
    ASSERT_TRUE(platform.ok());
    platforms()[name] = *std::move(platform);
  }
};
const auto* const kPlatforms = testing::AddGlobalTestEnvironment(new Platforms);

ProgramImage convolutionImage(const HwConfig& hw) {
  kernel::KernelDesc desc;
  desc.name = "conv";
  desc.num_params = 1;
  kernel::Geometry& g = desc.geometry;
  g.in_channel_blocks = g.out_channel_blocks = 4;
  g.in_height = g.in_width = g.out_height = g.out_width = 14;
  g.kernel_height = g.kernel_width = 3;
  g.pad_top = g.pad_left = g.pad_bottom = g.pad_right = 1;
  desc.epilogue = {{AluOpcode::kAdd, kernel::EpilogueStep::Source::kParam, 0, 0},
                   {AluOpcode::kShr, kernel::EpilogueStep::Source::kImmediate, 8, 0},
                   {AluOpcode::kMax, kernel::EpilogueStep::Source::kImmediate, 0, 0}};
  const auto schedule = kernel::defaultSchedule(desc, hw);
  EXPECT_TRUE(schedule.ok());
  const auto program = kernel::lower(desc, *schedule, hw);
  EXPECT_TRUE(program.ok());
  Rng rng(7);
  auto image = makeImage(*program, hw, rng);
  EXPECT_TRUE(image.ok());
  return *std::move(image);
}

PlatformJob jobOf(const ProgramImage& image) {
  return {image.instruction_address, image.instruction_count, image.bases};
}

class PlatformTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { tlm_utils::tlm_quantumkeeper::set_global_quantum(sc_core::SC_ZERO_TIME); }

  static void place(Platform& platform, const ProgramImage& image) {
    ASSERT_EQ(image.address, kAddress);
    ASSERT_LE(image.bytes.size(), kBytes);
    std::ranges::fill(platform.memory().bytes(), std::byte{0});
    std::ranges::copy(image.bytes, platform.memory().bytes().begin());
  }

  // Memory and counters have to be those of the models on the same image.
  void expectEqualToModels(Platform& platform, ProgramImage image) {
    place(platform, image);
    image.bytes.resize(kBytes);
    ImageDram dram(image);
    auto model = CycleModel::create(hw_, timing_);
    auto values = FunctionalModel::create(hw_);
    const TimingResult timing =
        (*model)->run(streamOf(image, hw_), image.instruction_address, image.bases, dram);
    const std::vector<std::byte> stream(streamOf(image, hw_).begin(), streamOf(image, hw_).end());
    ASSERT_FALSE((*values)->run(stream, image.bases, dram).fault);

    const auto& outcome = platform.run(jobOf(image));
    ASSERT_TRUE(outcome);
    EXPECT_EQ(platform.cpu().errors(), 0u);
    EXPECT_EQ(outcome->status, reg::kStatusDone);
    EXPECT_EQ(outcome->counters[0], timing.counters.cycles);
    const auto counter = [&](int unit, reg::UnitCounter name) {
      return outcome->counters[(reg::unitCounterOffset(unit, name) - reg::kCounterCycles) / 8];
    };
    EXPECT_EQ(counter(1, reg::UnitCounter::kReadBytes), timing.counters.load.read_bytes);
    EXPECT_EQ(counter(2, reg::UnitCounter::kBusyCycles), timing.counters.compute.busy_cycles);
    EXPECT_EQ(counter(3, reg::UnitCounter::kWriteBytes), timing.counters.store.write_bytes);
    EXPECT_TRUE(std::ranges::equal(platform.memory().bytes(), image.bytes));
    cycles_ = timing.counters.cycles;
  }

  sc_time period() { return Platforms::get(GetParam()).vta().clockPeriod(); }

  HwConfig hw_ = HwConfig::makeDefault();
  MemoryConfig timing_;
  uint64_t cycles_ = 0;
};

using MatchingMemory = PlatformTest;

TEST_P(MatchingMemory, CompiledLayerEqualsModels) {
  Platform& platform = Platforms::get(GetParam());
  ASSERT_NO_FATAL_FAILURE(expectEqualToModels(platform, convolutionImage(hw_)));
  // Simulated time is the launch's: the launch bit, the cycles until cycle 0, the cycles.
  const sc_time expected = static_cast<double>(cycles_ + timing::kLaunchCycles) * period();
  EXPECT_EQ(platform.cpu().outcome()->duration, expected);
  EXPECT_GT(platform.vta().statistics().transfers, 100u);
  EXPECT_EQ(platform.vta().statistics().late_responses, 0u);
}

TEST_P(MatchingMemory, RandomProgramsEqualModels) {
  Platform& platform = Platforms::get(GetParam());
  for (uint64_t seed = 1; seed <= 25; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const Program program = randomProgram(hw_, rng);
    const auto image = makeImage(program, hw_, rng);
    ASSERT_TRUE(image.ok());
    ASSERT_NO_FATAL_FAILURE(expectEqualToModels(platform, *image));
    EXPECT_EQ(platform.vta().statistics().late_responses, 0u);
  }
}

TEST_P(MatchingMemory, QuantumChangesNoResult) {
  Platform& platform = Platforms::get(GetParam());
  const ProgramImage image = convolutionImage(hw_);
  ASSERT_NO_FATAL_FAILURE(expectEqualToModels(platform, image));
  const uint64_t syncs = platform.vta().statistics().syncs;
  tlm_utils::tlm_quantumkeeper::set_global_quantum(1000 * period());
  ASSERT_NO_FATAL_FAILURE(expectEqualToModels(platform, image));
  const uint64_t fewer = platform.vta().statistics().syncs;
  if (GetParam() == "loose") {
    EXPECT_LT(10 * fewer, syncs);
  } else {
    EXPECT_EQ(syncs, 0u);
  }
}

TEST_P(MatchingMemory, FaultOfTheProgram) {
  Platform& platform = Platforms::get(GetParam());
  Rng rng(3);
  ProgramImage image = convolutionImage(hw_);
  ASSERT_TRUE(injectFault(image, hw_, InjectedFault::kTokenLeftOver, rng));
  place(platform, image);
  const auto& outcome = platform.run(jobOf(image));
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->status, reg::kStatusDone | reg::kStatusFault);
  EXPECT_EQ(outcome->fault, static_cast<uint32_t>(reg::FaultCode::kTokensLeftOver));
  EXPECT_EQ(outcome->fault_instruction, image.instruction_count - 1);
}

TEST_P(MatchingMemory, DataOutsideMemoryIsABusError) {
  Platform& platform = Platforms::get(GetParam());
  ProgramImage image = convolutionImage(hw_);
  place(platform, image);
  PlatformJob job = jobOf(image);
  job.bases.inp += kBytes;
  const auto& outcome = platform.run(job);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->fault, static_cast<uint32_t>(reg::FaultCode::kBusError));
}

TEST_P(MatchingMemory, StreamOutsideMemoryIsABusError) {
  Platform& platform = Platforms::get(GetParam());
  const auto& outcome = platform.run({kAddress + kBytes - 32, 5, {}});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->fault, static_cast<uint32_t>(reg::FaultCode::kBusError));
  EXPECT_EQ(outcome->fault_instruction, 2u);
}

TEST_P(MatchingMemory, BadLaunch) {
  const auto& outcome = Platforms::get(GetParam()).run({kAddress + 4, 5, {}});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->fault, static_cast<uint32_t>(reg::FaultCode::kBadLaunch));
  EXPECT_EQ(outcome->counters[0], 0u);
}

INSTANTIATE_TEST_SUITE_P(Codings, MatchingMemory, testing::Values("loose", "approximate"));

TEST_P(MatchingMemory, RandomConfigurationsEqualModels) {
  for (int seed = 0; seed < Platforms::kRandomConfigs; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(static_cast<uint64_t>(seed));
    hw_ = randomHwConfig(rng);
    Platform& platform = Platforms::get(GetParam() + "_" + std::to_string(seed));
    for (int i = 0; i < 4; ++i) {
      const auto image = makeImage(randomProgram(hw_, rng), hw_, rng);
      ASSERT_TRUE(image.ok());
      ASSERT_NO_FATAL_FAILURE(expectEqualToModels(platform, *image));
      EXPECT_EQ(platform.vta().statistics().late_responses, 0u);
    }
  }
}

// A DRAM with rows, banks and refresh behind the socket answers when the cycle model said.
using Dram = PlatformTest;

TEST_P(Dram, ProgramsEqualModelsAndNoResponseIsLate) {
  timing_ = *resolveMemoryConfig("DDR3-1066");
  Platform& platform = Platforms::get(GetParam());
  ASSERT_NO_FATAL_FAILURE(expectEqualToModels(platform, convolutionImage(hw_)));
  EXPECT_EQ(platform.vta().statistics().late_responses, 0u);
  const uint64_t with_dram = cycles_;
  for (uint64_t seed = 1; seed <= 15; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const auto image = makeImage(randomProgram(hw_, rng), hw_, rng);
    ASSERT_TRUE(image.ok());
    ASSERT_NO_FATAL_FAILURE(expectEqualToModels(platform, *image));
    EXPECT_EQ(platform.vta().statistics().late_responses, 0u);
  }
  timing_ = {};
  ASSERT_NO_FATAL_FAILURE(expectEqualToModels(Platforms::get("loose"), convolutionImage(hw_)));
  EXPECT_LT(cycles_, with_dram);
}

TEST_P(Dram, QuantumChangesNoResult) {
  timing_ = *resolveMemoryConfig("DDR3-1066");
  Platform& platform = Platforms::get(GetParam());
  const ProgramImage image = convolutionImage(hw_);
  for (const double quantum : {10.0, 1000.0, 1e6}) {
    tlm_utils::tlm_quantumkeeper::set_global_quantum(quantum * period());
    ASSERT_NO_FATAL_FAILURE(expectEqualToModels(platform, image));
    EXPECT_EQ(platform.vta().statistics().late_responses, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Codings, Dram, testing::Values("loose_dram", "approximate_dram"));

using SlowMemory = PlatformTest;

TEST_P(SlowMemory, ValuesAreRightAndLatenessIsSeen) {
  Platform& platform = Platforms::get(GetParam());
  ASSERT_NO_FATAL_FAILURE(expectEqualToModels(platform, convolutionImage(hw_)));
  EXPECT_GT(platform.vta().statistics().late_responses, 0u);
}

INSTANTIATE_TEST_SUITE_P(Codings, SlowMemory, testing::Values("loose_slow", "approximate_slow"));

TEST(VtaModule, RefusesAccessesThatAreNoWords) {
  Platform& platform = Platforms::get("loose");
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const auto statusOf = [&](uint64_t address, unsigned bytes) {
    unsigned char data[8] = {};
    tlm::tlm_generic_payload payload;
    payload.set_read();
    payload.set_address(address);
    payload.set_data_ptr(data);
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    sc_time delay;
    platform.cpu().socket->b_transport(payload, delay);
    return payload.get_response_status();
  };
  EXPECT_EQ(statusOf(reg::kId, 4), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(statusOf(reg::kId, 8), tlm::TLM_BURST_ERROR_RESPONSE);
  EXPECT_EQ(statusOf(reg::kId + 2, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(statusOf(0x1000, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

TEST(VtaModule, RefusesAMemoryThatCannotBe) {
  MemoryConfig timing;
  timing.simple.beats_numerator = 0;
  const auto module =
      VtaModule::create("never", HwConfig::makeDefault(), timing, TlmCoding::kLooselyTimed);
  ASSERT_FALSE(module.ok());
  EXPECT_NE(module.status().message().find("beats"), std::string::npos)
      << module.status().message();
}

}  // namespace
}  // namespace vta::sim
