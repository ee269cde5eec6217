// Launches through the registers: what the core refuses, what it reports, what it counts.
#include "sim/rtl/rtl_simulator.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "sim/random/program_image.h"
#include "sim/random/random_program.h"
#include "sim/rtl/cosim.h"

namespace vta::sim {
namespace {

using testing::HasSubstr;

class RtlSimulatorTest : public testing::Test {
 protected:
  RtlSimulatorTest() : hw_(HwConfig::makeDefault()) {
    Rng rng(11);
    image_ = makeImage(randomProgram(hw_, rng), hw_, rng).value();
    launch_ = {image_.instruction_address, image_.instruction_count, image_.bases};
  }

  std::unique_ptr<RtlSimulator> create(RtlOptions options = {}) {
    options.variant = ModelVariant::kChecked;
    auto simulator = RtlSimulator::create(hw_, dram_, ModelCache::standard(), options);
    EXPECT_TRUE(simulator.ok()) << simulator.status().message();
    return simulator.ok() ? *std::move(simulator) : nullptr;
  }

  HwConfig hw_;
  ProgramImage image_;
  ImageDram dram_{image_};
  RtlLaunch launch_;
};

TEST_F(RtlSimulatorTest, IdentificationRegisters) {
  const auto simulator = create();
  ASSERT_NE(simulator, nullptr);
  EXPECT_EQ(simulator->readRegister(reg::kId).value(), reg::kIdValue);
  EXPECT_EQ(simulator->readRegister(reg::kVersion).value(), reg::kVersionValue);
}

TEST_F(RtlSimulatorTest, EveryRegisterAnswersAndLaunchRegistersReadBack) {
  const auto simulator = create();
  ASSERT_NE(simulator, nullptr);
  for (const RegisterInfo& info : controlRegisters()) {
    EXPECT_TRUE(simulator->readRegister(info.offset).ok()) << info.name;
  }
  for (const uint32_t offset : {reg::kUser, reg::kInsnCount, reg::kInsnAddr, reg::kUopBase,
                                reg::kInpBase, reg::kWgtBase, reg::kAccBase, reg::kOutBase}) {
    const uint32_t value = 0x12345600 + offset;
    ASSERT_TRUE(simulator->writeRegister(offset, value).ok());
    EXPECT_EQ(simulator->readRegister(offset).value(), value) << offset;
  }
}

TEST_F(RtlSimulatorTest, TheSameLaunchTakesTheSameCycles) {
  const ProgramImage before = image_;
  const auto simulator = create();
  ASSERT_NE(simulator, nullptr);
  const RtlOutcome first = simulator->run(launch_).value();
  EXPECT_EQ(first.fault, reg::FaultCode::kNone);
  EXPECT_GT(first.cycles, 100u);
  image_.bytes = before.bytes;
  const RtlOutcome second = simulator->run(launch_).value();
  EXPECT_EQ(first.cycles, second.cycles);
  EXPECT_EQ(first.units, second.units);
}

TEST_F(RtlSimulatorTest, SlowerMemoryTakesMoreCycles) {
  const ProgramImage before = image_;
  const uint64_t fast = create()->run(launch_)->cycles;
  image_.bytes = before.bytes;
  RtlOptions options;
  options.memory.simple = {.latency_cycles = 100, .beats_numerator = 1, .beats_denominator = 4};
  EXPECT_GT(create(options)->run(launch_)->cycles, fast + 100);
}

TEST_F(RtlSimulatorTest, BadLaunchesAreFaultsAndTheNextOneWorks) {
  const auto simulator = create();
  ASSERT_NE(simulator, nullptr);
  RtlLaunch zero = launch_;
  zero.instruction_address = 0;
  RtlLaunch unaligned = launch_;
  unaligned.instruction_address += 4;
  RtlLaunch unaligned_base = launch_;
  unaligned_base.bases.wgt += 1;
  for (const RtlLaunch& bad : {zero, unaligned, unaligned_base}) {
    const auto outcome = simulator->run(bad);
    ASSERT_TRUE(outcome.ok()) << outcome.status().message();
    EXPECT_EQ(faultCodeName(outcome->fault), "bad launch");
    EXPECT_EQ(outcome->cycles, 0u);
  }
  EXPECT_EQ(simulator->run(launch_)->fault, reg::FaultCode::kNone);
}

TEST_F(RtlSimulatorTest, LaunchDuringARunIsRefusedAndChangesNothing) {
  const ProgramImage before = image_;
  const auto simulator = create();
  ASSERT_NE(simulator, nullptr);
  const uint64_t undisturbed = simulator->run(launch_)->cycles;
  image_.bytes = before.bytes;
  ASSERT_TRUE(simulator->start(launch_).ok());
  ASSERT_FALSE(simulator->advance(50).value());
  // Whether the bus answers a refused write with an error or not, the run goes on.
  static_cast<void>(simulator->writeRegister(reg::kInsnAddr, 0x40));
  static_cast<void>(simulator->writeRegister(reg::kControl, reg::kControlLaunch));
  const uint32_t status = simulator->readRegister(reg::kStatus).value();
  EXPECT_EQ(status & reg::kStatusRunning, reg::kStatusRunning);
  EXPECT_EQ(status & reg::kStatusLaunchRefused, reg::kStatusLaunchRefused);
  while (!simulator->advance(1000).value()) {
  }
  const RtlOutcome outcome = simulator->outcome().value();
  EXPECT_EQ(outcome.fault, reg::FaultCode::kNone);
  EXPECT_EQ(outcome.cycles, undisturbed);
}

TEST_F(RtlSimulatorTest, AnObserversErrorEndsTheLaunch) {
  const auto simulator = create();
  ASSERT_NE(simulator, nullptr);
  simulator->setRetireObserver(
      [](int, uint32_t number) { return number == 3 ? internalError("seen enough") : Status(); });
  const auto outcome = simulator->run(launch_);
  ASSERT_FALSE(outcome.ok());
  EXPECT_THAT(outcome.status().message(), HasSubstr("seen enough"));
}

TEST_F(RtlSimulatorTest, WavesNeedTheirVariant) {
  RtlOptions options;
  options.waves = std::filesystem::path(testing::TempDir()) / "waves.fst";
  const auto simulator = create(options);  // of the variant without waves
  ASSERT_NE(simulator, nullptr);
  const auto outcome = simulator->run(launch_);
  ASSERT_FALSE(outcome.ok());
  EXPECT_THAT(outcome.status().message(), HasSubstr("cannot write waveforms"));
}

}  // namespace
}  // namespace vta::sim
