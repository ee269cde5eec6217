// What only a device with checks finds: reads of what nobody wrote, and accesses that no token
// orders.
#include "driver/device_registry.h"
#include "isa/instruction/encoding.h"
#include "isa/instruction/handover.h"
#include "tests/driver/conformance/fault_case.h"

namespace vta::driver::conformance {
namespace {

using testing::HasSubstr;

class RaceTest : public FaultCase {};

TEST_P(RaceTest, UninitialisedReads) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  VTA_REQUIRE_FEATURE(Feature::kCheckedMode);
  const FaultKind kind = FaultKind::kUninitialisedRead;
  expectFaultOf(Instruction::store(row(MemoryType::kOut, 3, 0, 1)), kind, "store out",
                "ACC element 3");
  expectFaultOf(Instruction::gemm(gemmOnce()), kind, "gemm", "ACC element 0");
  expectFaultOf(Instruction::alu(aluOnce(AluOpcode::kAdd)), kind, "alu", "ACC element 0");
  expectFaultOf(Instruction::load(row(MemoryType::kInp, 0, 4, 1)), kind, "load inp", "DRAM byte");
  GemmInsn gemm = gemmOnce(5);
  gemm.uop_bgn = 4;
  expectFaultOf(Instruction::gemm(gemm), kind, "gemm", "UOP element 4");
}

TEST_P(RaceTest, RaceOnAScratchpad) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  VTA_REQUIRE_FEATURE(Feature::kCheckedMode);
  ComputeProgram program(spec(), HwConfig::makeDefault(), {{0, 0, 0}});
  Machine& machine = program.machine();
  program.loadAcc(0, Lanes(16, 0));
  program.loadOperands(Lanes(16, 1), Lanes(256, 1));
  program.add(Instruction::gemm(gemmOnce()));
  // The next load of the same element does not wait for the GEMM.
  machine.add(Instruction::load(row(MemoryType::kInp, 0, 0, 1), {.push_next = true}));
  machine.add(Instruction::finish({.pop_prev = true}));
  expectFault(machine, FaultKind::kRace, 4, "gemm", "INP element 0 that instruction 5 uses");
}

// The load unit reads what the compute unit writes.
TEST_P(RaceTest, HandoversReadOut) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  VTA_REQUIRE_FEATURE(Feature::kCheckedMode);
  VTA_REQUIRE_FEATURE(Feature::kTestGeometries);
  for (const char* name : {"short-queues-2x4x4", "sequential-1x4x8"}) {
    SCOPED_TRACE(name);
    const HwConfig hw = rtlTestConfig(name);
    const uint32_t parts = handoverParts(hw);
    const auto run = [&](uint32_t first, bool ordered) {
      Machine machine(spec(), hw);
      machine.writeLanes(MemoryType::kAcc, 0, Lanes(size_t{4} * hw.batch() * hw.blockOut()));
      machine.add(Instruction::load(row(MemoryType::kAcc, 0, 0, 4), {.push_prev = ordered}));
      machine.add(Instruction::load(row(MemoryType::kInpFromOut, 0, first * parts, parts),
                                    {.pop_next = ordered, .push_next = true}));
      machine.add(Instruction::finish({.pop_prev = true}));
      return machine.launch().fault;
    };
    EXPECT_FALSE(run(3, true));
    const std::optional<Fault> unwritten = run(4, true);
    ASSERT_TRUE(unwritten);
    EXPECT_EQ(unwritten->kind, FaultKind::kUninitialisedRead);
    EXPECT_THAT(unwritten->reason, HasSubstr("ACC element 4"));
    // Units may run in any order: it reads what is not there yet, or what no token says is there.
    EXPECT_TRUE(run(3, false));
  }
}

// The compute unit writes OUT while the load unit may still read it.
TEST_P(RaceTest, RaceOnWhatIsHandedOver) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  VTA_REQUIRE_FEATURE(Feature::kCheckedMode);
  VTA_REQUIRE_FEATURE(Feature::kTestGeometries);
  const HwConfig hw = rtlTestConfig("short-queues-2x4x4");
  for (const bool ordered : {false, true}) {
    SCOPED_TRACE(ordered);
    Machine machine(spec(), hw);
    machine.writeLanes(MemoryType::kAcc, 0, Lanes(size_t{2} * hw.batch() * hw.blockOut()));
    machine.add(Instruction::load(row(MemoryType::kAcc, 0, 0, 2), {.push_prev = true}));
    machine.add(Instruction::load(row(MemoryType::kInpFromOut, 0, 0, 2),
                                  {.pop_next = true, .push_next = ordered}));
    machine.add(Instruction::load(row(MemoryType::kAcc, 1, 0, 1), {.pop_prev = ordered}));
    machine.add(Instruction::finish());
    const std::optional<Fault> fault = machine.launch().fault;
    EXPECT_EQ(fault.has_value(), !ordered);
    if (!fault) continue;
    EXPECT_EQ(fault->kind, FaultKind::kRace);
    EXPECT_THAT(fault->reason, HasSubstr("ACC element 1"));
  }
}

TEST_P(RaceTest, RaceOnMemory) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  VTA_REQUIRE_FEATURE(Feature::kCheckedMode);
  const HwConfig hw = HwConfig::makeDefault();
  for (const bool ordered : {false, true}) {
    SCOPED_TRACE(ordered);
    auto device = createDevice(spec(), hw).value();
    const DeviceBuffer data = device->allocate(4096, 64).value();
    ASSERT_TRUE(device->write(data.address, std::vector<std::byte>(4096)).ok());
    // INP reads what the store writes.
    std::vector<std::byte> stream;
    const Tokens after_store = {.pop_next = true, .push_prev = ordered};
    for (const Instruction& insn :
         {Instruction::load(row(MemoryType::kAcc, 0, 0, 1), {.push_next = true}),
          Instruction::store(row(MemoryType::kOut, 0, 0, 1), {.pop_prev = true, .push_prev = true}),
          Instruction::gemm({}, after_store),
          Instruction::load(row(MemoryType::kInp, 0, 0, 1),
                            {.pop_next = ordered, .push_next = true}),
          Instruction::finish({.pop_prev = true})}) {
      ASSERT_TRUE(encodeInstruction(insn, hw, stream).ok());
    }
    const DeviceBuffer code = device->allocate(stream.size(), 64).value();
    ASSERT_TRUE(device->write(code.address, stream).ok());
    ASSERT_TRUE(device
                    ->submit({.instruction_address = code.address,
                              .instruction_count = 5,
                              .inp_base = data.address,
                              .acc_base = data.address,
                              .out_base = data.address})
                    .ok());
    const LaunchResult result = device->wait(std::chrono::seconds(1)).value();
    EXPECT_EQ(result.fault.has_value(), !ordered);
    if (ordered || !result.fault) continue;
    EXPECT_EQ(result.fault->kind, FaultKind::kRace);
    EXPECT_THAT(result.fault->reason, HasSubstr("DRAM byte"));
  }
}

VTA_INSTANTIATE_CONFORMANCE(RaceTest);

}  // namespace
}  // namespace vta::driver::conformance
