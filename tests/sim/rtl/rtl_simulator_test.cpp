// Launches through the registers: what the core refuses, what it reports, what it counts.
#include "sim/rtl/rtl_simulator.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "isa/instruction/encoding.h"
#include "sim/functional/functional_model.h"
#include "sim/random/program_image.h"
#include "sim/random/random_program.h"
#include "sim/rtl/cosim/cosim.h"

namespace vta::sim {
namespace {

using testing::HasSubstr;

constexpr uint64_t BaseAddresses::*kBases[] = {&BaseAddresses::uop, &BaseAddresses::inp,
                                               &BaseAddresses::wgt, &BaseAddresses::acc,
                                               &BaseAddresses::out};

/// The image, with 16 bytes missing from it.
class HoleDram final : public Dram {
 public:
  explicit HoleDram(ProgramImage& image) : dram_(image) {}

  std::optional<DramRange> findRange(uint64_t address) const override {
    if (hole && address >= *hole && address < *hole + 16) return std::nullopt;
    return dram_.findRange(address);
  }

  std::optional<uint64_t> hole;

 private:
  ImageDram dram_;
};

class RtlSimulatorTest : public testing::Test {
 protected:
  RtlSimulatorTest() : hw_(HwConfig::makeDefault()) {
    Rng rng(11);
    image_ = makeImage(randomProgram(hw_, rng), hw_, rng).value();
    before_ = image_;
    launch_ = {image_.instruction_address, image_.instruction_count, image_.bases};
  }

  std::unique_ptr<RtlSimulator> create(RtlOptions options = {}) {
    options.variant = ModelVariant::kChecked;
    auto simulator = RtlSimulator::create(hw_, dram_, ModelCache::standard(), options);
    EXPECT_TRUE(simulator.ok()) << simulator.status().message();
    return simulator.ok() ? *std::move(simulator) : nullptr;
  }

  /// The program from its beginning leaves what it leaves in the functional simulator.
  void expectLegalRun(RtlSimulator& simulator) {
    ProgramImage reference = before_;
    ImageDram reference_dram(reference);
    const std::span<const std::byte> stream = streamOf(before_, hw_);
    const auto model = *FunctionalModel::create(hw_);
    ASSERT_FALSE(model->run({stream.begin(), stream.end()}, reference.bases, reference_dram).fault);
    image_.bytes = before_.bytes;
    const auto outcome = simulator.run(launch_);
    ASSERT_TRUE(outcome.ok()) << outcome.status().message();
    EXPECT_EQ(outcome->fault, reg::FaultCode::kNone);
    EXPECT_TRUE(image_.bytes == reference.bytes);
  }

  HwConfig hw_;
  ProgramImage image_;
  ProgramImage before_;  // as it was at first
  HoleDram dram_{image_};
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
  std::vector<RtlLaunch> bad_launches;
  for (const uint64_t address : {uint64_t{0}, launch_.instruction_address + 4,
                                 launch_.instruction_address + (uint64_t{1} << 32)}) {
    bad_launches.push_back(launch_);
    bad_launches.back().instruction_address = address;
  }
  for (uint64_t BaseAddresses::*base : kBases) {
    bad_launches.push_back(launch_);
    bad_launches.back().bases.*base += 1;
  }
  for (const RtlLaunch& bad : bad_launches) {
    const auto outcome = simulator->run(bad);
    ASSERT_TRUE(outcome.ok()) << outcome.status().message();
    EXPECT_EQ(faultCodeName(outcome->fault), "bad launch");
    EXPECT_EQ(outcome->cycles, 0u);
  }
  expectLegalRun(*simulator);
}

TEST_F(RtlSimulatorTest, InstancesAreIndependent) {
  // Side by side in one thread, the older one first to go.
  auto older = create();
  const auto newer = create();
  ASSERT_NE(older, nullptr);
  ASSERT_NE(newer, nullptr);
  ASSERT_TRUE(older->start(launch_).ok());
  ASSERT_FALSE(older->advance(100).value());
  expectLegalRun(*newer);
  image_.bytes = before_.bytes;
  older->reset();
  expectLegalRun(*older);
  older.reset();
  expectLegalRun(*newer);
}

TEST_F(RtlSimulatorTest, AnEmptyStreamIsADeadlock) {
  const auto simulator = create();
  ASSERT_NE(simulator, nullptr);
  launch_.instruction_count = 0;
  const RtlOutcome outcome = simulator->run(launch_).value();
  EXPECT_EQ(faultCodeName(outcome.fault), "deadlock");
  EXPECT_EQ(outcome.fault_instruction, 0u);
}

// Memory that is not there answers with an error: each unit must report it for its instruction.
TEST_F(RtlSimulatorTest, BusErrorsOfEveryUnitAreReportedAndTheNextLaunchWorks) {
  const auto simulator = create();
  ASSERT_NE(simulator, nullptr);
  const uint64_t away = (image_.bytes.size() + 0xffff) & ~uint64_t{0xffff};
  std::set<uint32_t> places;
  for (uint64_t BaseAddresses::*base : kBases) {
    RtlLaunch bad = launch_;
    bad.bases.*base += away;
    ProgramImage copy = image_;
    ImageDram copy_dram(copy);
    const auto model = *FunctionalModel::create(hw_);
    const std::span<const std::byte> stream = streamOf(image_, hw_);
    const FunctionalRun expected = model->run({stream.begin(), stream.end()}, bad.bases, copy_dram);
    ASSERT_TRUE(expected.fault.has_value());
    const auto outcome = simulator->run(bad);
    ASSERT_TRUE(outcome.ok()) << outcome.status().message();
    EXPECT_EQ(faultCodeName(outcome->fault), "bus error");
    EXPECT_EQ(outcome->fault_instruction, expected.fault->instruction);
    places.insert(outcome->fault_instruction);
    expectLegalRun(*simulator);
  }
  EXPECT_EQ(places.size(), std::size(kBases));
}

TEST_F(RtlSimulatorTest, ABusErrorOfFetchIsReportedBehindEverythingBeforeIt) {
  const auto simulator = create();
  ASSERT_NE(simulator, nullptr);
  for (const uint32_t number : {0u, 1u, launch_.instruction_count - 1}) {
    image_.bytes = before_.bytes;
    dram_.hole = launch_.instruction_address + uint64_t{number} * 16;
    std::array<uint32_t, 3> retired{};
    simulator->setRetireObserver([&](int unit, uint32_t) {
      ++retired[unit];
      return Status();
    });
    const auto outcome = simulator->run(launch_);
    ASSERT_TRUE(outcome.ok()) << outcome.status().message();
    EXPECT_EQ(faultCodeName(outcome->fault), "bus error");
    EXPECT_EQ(outcome->fault_instruction, number);
    EXPECT_EQ(retired[0] + retired[1] + retired[2], number);
    dram_.hole.reset();
    simulator->setRetireObserver({});
    expectLegalRun(*simulator);
  }
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

TEST_F(RtlSimulatorTest, ALaunchThatHangsIsReportedAndTheCoreWorksBehindAReset) {
  // A memory that accepts nothing.
  RtlOptions options;
  options.random_bus = RandomBusOptions{.stall_one_in = 1};
  options.quiet_limit_cycles = 5000;
  const auto simulator = create(options);
  ASSERT_NE(simulator, nullptr);
  const auto outcome = simulator->run(launch_);
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.status().code(), StatusCode::kDeviceFault);
  EXPECT_THAT(outcome.status().message(), HasSubstr("the RTL hangs"));
  EXPECT_LT(simulator->totalCycles(), 20'000u);
  simulator->reset();
  launch_.instruction_address = 0;
  EXPECT_EQ(simulator->run(launch_)->fault, reg::FaultCode::kBadLaunch);
}

TEST_F(RtlSimulatorTest, ALongInstructionIsNoHang) {
  GemmInsn reset;
  reset.reset = true;
  reset.uop_end = 1;
  reset.iter_out = 50;
  reset.iter_in = 100;
  std::vector<std::byte> stream;
  ASSERT_TRUE(encodeInstruction(Instruction::gemm(reset), hw_, stream).ok());
  ASSERT_TRUE(encodeInstruction(Instruction::finish(), hw_, stream).ok());
  std::copy(stream.begin(), stream.end(),
            image_.bytes.data() + (image_.instruction_address - image_.address));
  launch_.instruction_count = 2;
  RtlOptions options;
  options.quiet_limit_cycles = 500;
  const auto outcome = create(options)->run(launch_);
  ASSERT_TRUE(outcome.ok()) << outcome.status().message();
  EXPECT_EQ(outcome->gemm_uops, 5000u);
  // The looks at its counters are not in its way, and a limit is kept.
  options.max_cycles = 1000;
  const auto limited = create(options)->run(launch_);
  ASSERT_FALSE(limited.ok());
  EXPECT_THAT(limited.status().message(), HasSubstr("not ended after 1000 cycles"));
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
