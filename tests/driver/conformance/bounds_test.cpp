// Transfers and indexes past the end of a scratchpad or outside the buffers.
#include "tests/driver/conformance/fault_case.h"

namespace vta::driver::conformance {
namespace {

class BoundsTest : public FaultCase {};

TEST_P(BoundsTest, TransfersPastAnSram) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  VTA_REQUIRE_FEATURE(Feature::kFaultReports);
  const FaultKind kind = FaultKind::kSramBounds;
  expectFaultOf(Instruction::load(row(MemoryType::kUop, 8191, 0, 2)), kind, "load uop", "8192");
  expectFaultOf(Instruction::load(row(MemoryType::kInp, 2047, 0, 2)), kind, "load inp", "2048");
  expectFaultOf(Instruction::load(row(MemoryType::kWgt, 1023, 0, 2)), kind, "load wgt", "1024");
  expectFaultOf(Instruction::load(row(MemoryType::kAcc, 2047, 0, 2)), kind, "load acc", "2048");
  expectFaultOf(Instruction::load(row(MemoryType::kAcc8, 2047, 0, 2)), kind, "load acc_8bit",
                "2048");
  expectFaultOf(Instruction::store(row(MemoryType::kOut, 2047, 0, 2)), kind, "store out", "2048");
  MemInsn padded = row(MemoryType::kInp, 2040, 0, 2);
  padded.x_pad_0 = 7;
  expectFaultOf(Instruction::load(padded), kind, "load inp", "2048");
  padded = row(MemoryType::kInp, 2040, 0, 2);
  padded.y_pad_1 = 4;
  expectFaultOf(Instruction::load(padded), kind, "load inp", "2049");
}

TEST_P(BoundsTest, IndexesPastAnSram) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  VTA_REQUIRE_FEATURE(Feature::kFaultReports);
  const FaultKind kind = FaultKind::kSramBounds;
  const auto gemm = [](auto edit) {
    GemmInsn insn = gemmOnce();
    insn.iter_in = 3;
    edit(insn);
    return Instruction::gemm(insn);
  };
  const std::vector<Uop> last = {{2046, 2046, 1022}};
  expectFaultOf(gemm([](GemmInsn& i) { i.dst_factor_in = 1; }), kind, "gemm",
                "dst index reaches 2048", last);
  expectFaultOf(gemm([](GemmInsn& i) { i.src_factor_in = 1; }), kind, "gemm",
                "src index reaches 2048", last);
  expectFaultOf(gemm([](GemmInsn& i) { i.wgt_factor_in = 1; }), kind, "gemm",
                "wgt index reaches 1024", last);
  expectFaultOf(gemm([](GemmInsn& i) { i.dst_factor_in = 1, i.reset = true; }), kind, "gemm",
                "dst index reaches 2048", last);
  expectFaultOf(gemm([](GemmInsn& i) { i.uop_bgn = 8191, i.uop_end = 8193; }), kind, "gemm",
                "uop_end is 8193");

  AluInsn alu = aluOnce(AluOpcode::kAdd);
  alu.iter_out = 3;
  alu.dst_factor_out = 1;
  expectFaultOf(Instruction::alu(alu), kind, "alu", "dst index reaches 2048", last);
  alu.dst_factor_out = 0;
  alu.src_factor_out = 1;
  expectFaultOf(Instruction::alu(alu), kind, "alu", "src index reaches 2048", last);
  alu.uop_end = 8193;
  expectFaultOf(Instruction::alu(alu), kind, "alu", "uop_end is 8193");
}

TEST_P(BoundsTest, MemoryOutsideBuffers) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  VTA_REQUIRE_FEATURE(Feature::kFaultReports);
  const FaultKind kind = FaultKind::kDramBounds;
  const uint32_t inp_elems = Machine::kOperandBytes / 16;
  expectFaultOf(Instruction::load(row(MemoryType::kInp, 0, inp_elems - 1, 2)), kind, "load inp",
                "past the end");
  expectFaultOf(Instruction::store(row(MemoryType::kOut, 0, inp_elems - 1, 2)), kind, "store out",
                "past the end");
  expectFaultOf(Instruction::load(row(MemoryType::kAcc, 0, 0xffffffff, 1)), kind, "load acc",
                "outside");
  MemInsn strided = row(MemoryType::kInp, 0, 0, 4);
  strided.y_size = 3;
  strided.x_stride = inp_elems / 2 - 1;
  expectFaultOf(Instruction::load(strided), kind, "load inp", "row 2");
}

TEST_P(BoundsTest, StreamOutsideBuffers) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  VTA_REQUIRE_FEATURE(Feature::kFaultReports);
  Machine machine(spec(), HwConfig::makeDefault());
  Launch launch;
  launch.instruction_address = 0;
  launch.instruction_count = 1;
  ASSERT_TRUE(machine.device().submit(launch).ok());
  const auto result = machine.device().wait(std::chrono::seconds(1));
  ASSERT_TRUE(result.ok());
  ASSERT_TRUE(result->fault.has_value());
  EXPECT_EQ(result->fault->kind, FaultKind::kDramBounds);
}

TEST_P(BoundsTest, MemoryHoldsWhatWasStoredBefore) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  Machine machine(spec(), HwConfig::makeDefault());
  machine.fillOut(1);
  machine.writeLanes(MemoryType::kAcc, 0, Lanes(32, 5));
  machine.add(Instruction::load(row(MemoryType::kAcc, 0, 0, 2), {.push_next = true}));
  machine.add(Instruction::store(row(MemoryType::kOut, 0, 0, 1), {.pop_prev = true}));
  machine.add(Instruction::store(row(MemoryType::kOut, 2047, 1, 2)));
  machine.add(Instruction::finish());
  ASSERT_TRUE(machine.launch().fault.has_value());
  EXPECT_EQ(machine.readOut(0, 1), Lanes(16, 5));
  EXPECT_EQ(machine.readOut(1, 1), Lanes(16, 1));
}

VTA_INSTANTIATE_CONFORMANCE(BoundsTest);

}  // namespace
}  // namespace vta::driver::conformance
