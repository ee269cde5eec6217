// Launches that a server must not start.
#include "driver/remote/server/launches/launch_check.h"

#include <gmock/gmock.h>

#include "isa/instruction/contiguous_row.h"
#include "isa/instruction/encoding.h"

namespace vta::remote {
namespace {

using testing::HasSubstr;

constexpr uint64_t kCode = 0x10000;
constexpr uint64_t kMine = 0x20000;
constexpr uint64_t kOthers = 0x30000;
constexpr uint64_t kBufferBytes = 0x1000;

class LaunchCheckTest : public testing::Test {
 protected:
  LaunchCheckTest() {
    buffers_.add({kCode, kCode + kBufferBytes}, 1);
    buffers_.add({kMine, kMine + kBufferBytes}, 1);
    buffers_.add({kOthers, kOthers + kBufferBytes}, 2);
    launch_.instruction_address = kCode;
    launch_.inp_base = launch_.out_base = kMine;
  }

  LaunchFindings check(const std::vector<Instruction>& program, bool stops_outside = false) {
    std::vector<std::byte> stream;
    for (const Instruction& insn : program) {
      EXPECT_TRUE(encodeInstruction(insn, hw_, stream).ok());
    }
    launch_.instruction_count = static_cast<uint32_t>(program.size());
    return checkLaunch({hw_, buffers_, 1, stops_outside}, launch_, stream);
  }

  static Instruction load(uint32_t first, uint32_t count) {
    return Instruction::load(contiguousRow(MemoryType::kInp, 0, first, count));
  }
  static Instruction store(uint32_t first, uint32_t count) {
    return Instruction::store(contiguousRow(MemoryType::kOut, 0, first, count));
  }

  const HwConfig hw_ = HwConfig::makeDefault();
  const uint32_t elems_ = kBufferBytes / hw_.elemBytes(MemoryType::kInp);
  BufferMap buffers_;
  driver::Launch launch_;
};

TEST_F(LaunchCheckTest, OwnMemoryIsFree) {
  const LaunchFindings findings = check({load(0, elems_), store(elems_ - 1, 1)});
  EXPECT_FALSE(findings.fault.has_value());
  EXPECT_FALSE(findings.has_strays);
  ASSERT_EQ(findings.stores.size(), 1u);
  EXPECT_EQ(findings.stores[0].end, kMine + kBufferBytes);
}

TEST_F(LaunchCheckTest, OthersMemoryIsAFaultOnEveryDevice) {
  const auto distance = static_cast<uint32_t>((kOthers - kMine) / hw_.elemBytes(MemoryType::kOut));
  for (const bool stops_outside : {false, true}) {
    const LaunchFindings loads = check({load(0, 1), load(distance, 1)}, stops_outside);
    ASSERT_TRUE(loads.fault.has_value());
    EXPECT_EQ(loads.fault->kind, FaultKind::kDramBounds);
    EXPECT_EQ(loads.fault->instruction, 1u);
    EXPECT_THAT(loads.fault->reason, HasSubstr("outside the client's buffers"));
    EXPECT_TRUE(check({store(distance, 1)}, stops_outside).fault.has_value());
  }
}

TEST_F(LaunchCheckTest, NobodysMemoryIsLeftToDevicesThatStopThere) {
  EXPECT_TRUE(check({load(elems_, 1)}).fault.has_value());
  const LaunchFindings findings = check({load(elems_, 1)}, true);
  EXPECT_FALSE(findings.fault.has_value());
  EXPECT_TRUE(findings.has_strays);
}

TEST_F(LaunchCheckTest, RowsOfAStridedTransferAreLookedAtOneByOne) {
  MemInsn rows = contiguousRow(MemoryType::kInp, 0, 0, 2);
  rows.y_size = 3;
  rows.x_stride = elems_ / 2 - 1;
  EXPECT_FALSE(check({Instruction::load(rows)}).fault.has_value());
  rows.x_stride = elems_ / 2;
  EXPECT_TRUE(check({Instruction::load(rows)}).fault.has_value());
}

TEST_F(LaunchCheckTest, TheCheckItselfIsBounded) {
  MemInsn rows = contiguousRow(MemoryType::kInp, 0, 0, 1);
  rows.y_size = 1 << 13;
  rows.x_stride = 1 << 13;
  const LaunchFindings findings =
      check(std::vector<Instruction>(1'000, Instruction::load(rows)), true);
  ASSERT_TRUE(findings.fault.has_value());
  EXPECT_THAT(findings.fault->reason, HasSubstr("too many other transfers"));
}

TEST_F(LaunchCheckTest, AddressesDoNotWrapAround) {
  const LaunchFindings findings = check({load(0xffffffff, 1)}, true);
  ASSERT_TRUE(findings.fault.has_value());
  EXPECT_THAT(findings.fault->reason, HasSubstr("outside the core's addresses"));
  launch_.inp_base = ~uint64_t{0} - 15;
  EXPECT_TRUE(check({load(1, 1)}, true).fault.has_value());
}

TEST_F(LaunchCheckTest, ALaunchDoesNotChangeItsOwnInstructions) {
  launch_.out_base = kCode;
  const LaunchFindings findings = check({store(0, 1), Instruction::finish()});
  ASSERT_TRUE(findings.fault.has_value());
  EXPECT_THAT(findings.fault->reason, HasSubstr("instructions of this launch"));
  EXPECT_FALSE(check({store(2, 1), Instruction::finish()}).fault.has_value());
}

TEST_F(LaunchCheckTest, NothingBehindFinishCounts) {
  EXPECT_FALSE(check({Instruction::finish(), load(0xffffff, 1)}).fault.has_value());
}

TEST_F(LaunchCheckTest, CyclesAreAtLeastThoseOfTheLongestUnit) {
  GemmInsn gemm;
  gemm.uop_end = 4;
  gemm.iter_out = 10;
  gemm.iter_in = 100;
  EXPECT_EQ(check({Instruction::gemm(gemm), Instruction::gemm(gemm)}).least_cycles, 8000u);
}

}  // namespace
}  // namespace vta::remote
