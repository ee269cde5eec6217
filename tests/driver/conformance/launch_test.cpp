// Launches: repeated, after faults, across resets; counters.
#include "tests/driver/conformance/compute_program.h"

namespace vta::driver::conformance {
namespace {

class LaunchTest : public ConformanceTest {};

/// ACC element 0 to OUT element `out`, with whatever comes before.
void addStore(Machine& machine, uint32_t out) {
  machine.add(Instruction::gemm({}, {.push_next = true}));
  machine.add(
      Instruction::store(row(MemoryType::kOut, 0, out, 1), {.pop_prev = true, .push_prev = true}));
  machine.add(Instruction::finish({.pop_next = true}));
}

TEST_P(LaunchTest, TheSameLaunchAgainGivesTheSame) {
  ComputeProgram program(spec(), configs().front(), {{0, 0, 0}});
  program.loadAcc(0, Lanes(16, 1));
  program.loadOperands(Lanes(16, 2), Lanes(256, 3));
  program.add(Instruction::gemm(gemmOnce()));
  const Lanes expected(16, 1 + 16 * 6);
  EXPECT_EQ(program.run(1), expected);
  program.machine().fillOut(0);
  const LaunchResult again = program.machine().launch();
  ASSERT_FALSE(again.fault) << again.fault->reason;
  EXPECT_EQ(program.machine().readOut(0, 1), expected);
}

TEST_P(LaunchTest, ScratchpadsKeepTheirContents) {
  Machine machine(spec(), configs().front());
  machine.writeLanes(MemoryType::kAcc, 0, Lanes(16, 42));
  machine.add(Instruction::load(row(MemoryType::kAcc, 0, 0, 1)));
  machine.add(Instruction::finish());
  ASSERT_FALSE(machine.launch().fault);
  machine.clearProgram();
  addStore(machine, 3);
  const LaunchResult result = machine.launch();
  ASSERT_FALSE(result.fault) << result.fault->reason;
  EXPECT_EQ(machine.readOut(3, 1), Lanes(16, 42));
}

TEST_P(LaunchTest, ResetClearsScratchpadsAndKeepsMemory) {
  VTA_REQUIRE_FEATURE(Feature::kDefaultConfiguration);
  Machine machine(spec(), HwConfig::makeDefault());
  machine.writeLanes(MemoryType::kAcc, 0, Lanes(16, 42));
  machine.fillOut(7);
  machine.add(Instruction::load(row(MemoryType::kAcc, 0, 0, 1)));
  machine.add(Instruction::finish());
  ASSERT_FALSE(machine.launch().fault);
  ASSERT_TRUE(machine.device().reset().ok());
  EXPECT_EQ(machine.readOut(0, 1), Lanes(16, 7));
  machine.clearProgram();
  addStore(machine, 0);
  const LaunchResult result = machine.launch();
  if (result.fault) {  // checked mode knows that nothing has written it since
    EXPECT_EQ(result.fault->kind, FaultKind::kUninitialisedRead);
    EXPECT_EQ(missing(Feature::kCheckedMode), nullptr);
  } else {
    EXPECT_EQ(machine.readOut(0, 1), Lanes(16, 0));
  }
}

TEST_P(LaunchTest, AFaultLeavesTheDeviceUsable) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  Machine machine(spec(), HwConfig::makeDefault());
  machine.writeLanes(MemoryType::kAcc, 0, Lanes(16, 5));
  machine.add(Instruction::gemm({}, {.push_prev = true, .push_next = true}));  // tokens left over
  machine.add(Instruction::finish());
  ASSERT_TRUE(machine.launch().fault.has_value());
  machine.clearProgram();
  machine.add(Instruction::load(row(MemoryType::kAcc, 0, 0, 1)));
  addStore(machine, 0);
  const LaunchResult result = machine.launch();
  ASSERT_FALSE(result.fault) << result.fault->reason;
  EXPECT_EQ(machine.readOut(0, 1), Lanes(16, 5));
}

TEST_P(LaunchTest, OneLaunchAtATime) {
  VTA_REQUIRE_FEATURE(Feature::kDefaultConfiguration);
  Machine machine(spec(), HwConfig::makeDefault());
  EXPECT_EQ(machine.device().wait(std::chrono::seconds(1)).status().code(),
            StatusCode::kInvalidArgument);
  const DeviceBuffer code = machine.device().allocate(16, 64).value();
  const Launch launch = {.instruction_address = code.address, .instruction_count = 1};
  ASSERT_TRUE(machine.device().submit(launch).ok());
  EXPECT_EQ(machine.device().submit(launch).code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(machine.device().wait(std::chrono::seconds(1)).ok());
  EXPECT_EQ(machine.device().wait(std::chrono::seconds(1)).status().code(),
            StatusCode::kInvalidArgument);
}

TEST_P(LaunchTest, CountersCountTheProgram) {
  VTA_REQUIRE_FEATURE(Feature::kDefaultConfiguration);
  ComputeProgram program(spec(), HwConfig::makeDefault(), {{0, 0, 0}});  // loads two micro-ops
  Machine& machine = program.machine();
  program.loadAcc(0, Lanes(16 * 6, 0));
  program.loadOperands(Lanes(16 * 3, 1), Lanes(256, 1));
  GemmInsn gemm = gemmOnce();
  gemm.iter_out = 2;
  gemm.iter_in = 3;
  gemm.dst_factor_in = 1;
  program.add(Instruction::gemm(gemm));
  AluInsn alu = aluOnce(AluOpcode::kAdd);
  alu.use_imm = true;
  alu.iter_in = 5;
  program.add(Instruction::alu(alu));
  machine.add(Instruction::gemm({}, {.push_next = true}));
  machine.add(
      Instruction::store(row(MemoryType::kOut, 0, 0, 6), {.pop_prev = true, .push_prev = true}));
  machine.add(Instruction::finish({.pop_next = true}));
  const LaunchResult result = machine.launch();
  ASSERT_FALSE(result.fault) << result.fault->reason;
  const LaunchCounters& c = result.counters;
  EXPECT_EQ(c.gemm_uops, 6u);
  EXPECT_EQ(c.alu_uops, 5u);
  EXPECT_EQ(c.fetch.instructions, 9u);
  EXPECT_EQ(c.fetch.read_bytes, 9u * 16);
  EXPECT_EQ(c.load.instructions, 2u);
  EXPECT_EQ(c.load.read_bytes, 3u * 16 + 256);
  EXPECT_EQ(c.compute.instructions, 6u);
  EXPECT_EQ(c.compute.read_bytes, 2u * 4 + 6 * 64);
  EXPECT_EQ(c.store.instructions, 1u);
  EXPECT_EQ(c.store.write_bytes, 6u * 16);
  EXPECT_EQ(c.cycles > 0, machine.device().info().capabilities.cycles);
}

VTA_INSTANTIATE_CONFORMANCE(LaunchTest);

}  // namespace
}  // namespace vta::driver::conformance
