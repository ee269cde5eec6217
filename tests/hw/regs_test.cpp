// The control registers over AXI4-Lite.
#include "Vregs_default.h"
#include "isa/config/hw_config.h"
#include "isa/registers/registers.h"
#include "tests/hw/clocked.h"

namespace vta::hw::test {
namespace {

constexpr int kOkay = 0;
constexpr int kSlvErr = 2;
// From the cycle in which a read's address is taken to that of its value.
constexpr int kReadCycles = 4;

class Regs {
 public:
  Regs() {
    dut_->ready_i = 1;
    dut_->bready_i = 1;
    dut_->rready_i = 1;
  }

  /// Returns the response; counts launches meanwhile.
  int write(uint32_t offset, uint32_t value, int strobes = 15) {
    dut_->awaddr_i = static_cast<uint16_t>(offset);
    dut_->wdata_i = value;
    dut_->wstrb_i = static_cast<uint8_t>(strobes);
    dut_->awvalid_i = dut_->wvalid_i = 1;
    step();
    dut_->awvalid_i = dut_->wvalid_i = 0;
    dut_.settle();
    EXPECT_TRUE(dut_->bvalid_o);
    const int response = dut_->bresp_o;
    step();
    step();
    return response;
  }

  uint32_t read(uint32_t offset) {
    dut_->araddr_i = static_cast<uint16_t>(offset);
    dut_->arvalid_i = 1;
    step();
    dut_->arvalid_i = 0;
    for (int i = 0; i < kReadCycles - 1; ++i) {
      dut_.settle();
      EXPECT_FALSE(dut_->rvalid_o || dut_->arready_o);
      step();
    }
    dut_.settle();
    EXPECT_TRUE(dut_->rvalid_o);
    const uint32_t value = dut_->rdata_o;
    step();
    return value;
  }

  void step() {
    dut_.settle();
    if (dut_->launch_o != 0) {
      ++launches;
      bad = dut_->bad_launch_o != 0;
    }
    if (dut_->reset_o != 0) ++resets;
    dut_.edge();
  }

  Vregs_default* operator->() { return dut_.operator->(); }
  int launches = 0;
  int resets = 0;
  bool bad = false;

 private:
  Clocked<Vregs_default> dut_;
};

TEST(Regs, TellTheConfiguration) {
  Regs regs;
  const HwConfig hw = HwConfig::makeDefault();
  EXPECT_EQ(regs.read(reg::kId), reg::kIdValue);
  EXPECT_EQ(regs.read(reg::kVersion), reg::kVersionValue);
  EXPECT_EQ(regs.read(reg::kFingerprint), static_cast<uint32_t>(hw.fingerprint()));
  EXPECT_EQ(regs.read(reg::kFingerprint + 4), static_cast<uint32_t>(hw.fingerprint() >> 32));
  EXPECT_EQ(regs.read(reg::kDepths), 0x0b0a0b0du);
  EXPECT_EQ(regs.read(reg::kLastUopInp), 0x07ff1fffu);
  EXPECT_EQ(regs.read(reg::kLastWgtAcc), 0x07ff03ffu);
  EXPECT_EQ(regs.read(reg::kConfig), 32u << 24 | 3u << 20 | 0x7e000u | 4u << 8 | 4u << 4);
  EXPECT_EQ(regs.read(0x3c), 0u);
}

TEST(Regs, AccessIsThatOfTheTable) {
  Regs regs;
  for (const RegisterInfo& info : controlRegisters()) {
    if (info.offset == reg::kControl || info.offset == reg::kIrqEnable) continue;
    const uint32_t before = regs.read(info.offset);
    EXPECT_EQ(regs.write(info.offset, 0xa5a5a5a5), kOkay);
    const bool writable = info.access == RegisterAccess::kReadWrite;
    EXPECT_EQ(regs.read(info.offset), writable ? 0xa5a5a5a5 : before) << info.name;
  }
  EXPECT_EQ(regs.launches, 0);
}

TEST(Regs, PartOfAWordIsRefused) {
  Regs regs;
  EXPECT_EQ(regs.write(reg::kUser, 77), kOkay);
  EXPECT_EQ(regs.write(reg::kUser, 78, 1), kSlvErr);
  EXPECT_EQ(regs.read(reg::kUser), 77u);
}

TEST(Regs, AResetIsTakenAtAnyTimeAndLeavesNoLaunch) {
  Regs regs;
  regs->ready_i = 0;
  regs.write(reg::kControl, reg::kControlLaunch);
  EXPECT_EQ(regs.read(reg::kStatus), reg::kStatusRunning | reg::kStatusLaunchRefused);
  regs.write(reg::kControl, reg::kControlReset | reg::kControlLaunch);
  EXPECT_EQ(regs.resets, 1);
  EXPECT_EQ(regs.launches, 0);
  regs->ready_i = 1;
  regs->draining_i = 1;
  EXPECT_EQ(regs.read(reg::kStatus), reg::kStatusDraining);
  EXPECT_EQ(regs.read(reg::kControl), 0u);
  regs->draining_i = 0;
  EXPECT_EQ(regs.read(reg::kStatus), 0u);
  regs.write(reg::kControl, reg::kControlReset, 3);  // a part of a word
  EXPECT_EQ(regs.resets, 1);
}

TEST(Regs, LaunchesOnlyWhenReady) {
  Regs regs;
  regs.write(reg::kInsnAddr, 0x1000);
  regs.write(reg::kInsnCount, 3);
  regs.write(reg::kControl, reg::kControlLaunch);
  EXPECT_EQ(regs.launches, 1);
  EXPECT_FALSE(regs.bad);
  regs->ready_i = 0;
  regs->running_i = 1;
  EXPECT_EQ(regs.read(reg::kStatus), reg::kStatusRunning);
  regs.write(reg::kControl, reg::kControlLaunch);
  EXPECT_EQ(regs.launches, 1);
  EXPECT_EQ(regs.read(reg::kStatus), reg::kStatusRunning | reg::kStatusLaunchRefused);
  regs.write(reg::kInsnCount, 9);
  EXPECT_EQ(regs.read(reg::kInsnCount), 3u);
  regs->ready_i = 1;
  regs->running_i = 0;
  regs.write(reg::kControl, reg::kControlLaunch);
  EXPECT_EQ(regs.launches, 2);
  EXPECT_EQ(regs.read(reg::kStatus) & reg::kStatusLaunchRefused, 0u);
}

TEST(Regs, BadLaunches) {
  const std::pair<uint32_t, uint32_t> cases[] = {
      {reg::kInsnAddr, 0},          {reg::kInsnAddr, 0x1008}, {reg::kInsnAddrHi, 1},
      {reg::kInsnAddr, 0xffffffe0}, {reg::kUopBase, 2},       {reg::kInpBase, 4},
      {reg::kWgtBase, 4},           {reg::kAccBase, 4},       {reg::kOutBase, 1},
      {reg::kOutBaseHi, 1}};
  for (const auto& [offset, value] : cases) {
    Regs regs;
    regs.write(reg::kInsnAddr, 0x1000);
    regs.write(reg::kInsnCount, 3);
    regs.write(offset, value);
    regs.write(reg::kControl, reg::kControlLaunch);
    EXPECT_EQ(regs.launches, 1);
    EXPECT_TRUE(regs.bad) << offset << " " << value;
  }
}

TEST(Regs, InterruptsAreEnabledAndCleared) {
  Regs regs;
  regs->fault_i = uint64_t{1} << 36 | uint64_t{6} << 32 | 42;  // valid, deadlock, instruction 42
  regs->ended_i = 1;
  regs.step();
  regs->ended_i = 0;
  regs.step();
  EXPECT_FALSE(regs->irq_o);
  EXPECT_EQ(regs.read(reg::kFault), static_cast<uint32_t>(reg::FaultCode::kDeadlock));
  EXPECT_EQ(regs.read(reg::kFaultInsn), 42u);
  EXPECT_EQ(regs.read(reg::kIrqStatus), reg::kIrqDone | reg::kIrqFault);
  regs.write(reg::kIrqEnable, reg::kIrqFault);
  EXPECT_TRUE(regs->irq_o);
  regs.write(reg::kIrqStatus, reg::kIrqFault);
  EXPECT_FALSE(regs->irq_o);
  EXPECT_EQ(regs.read(reg::kIrqStatus), reg::kIrqDone);
}

// Software clears what it has seen in the very cycle in which the next launch ends: neither is
// lost.
TEST(Regs, AnInterruptInTheCycleOfItsClearStays) {
  Regs regs;
  regs->fault_i = uint64_t{1} << 36;  // valid
  regs->ended_i = 1;
  regs.step();
  EXPECT_EQ(regs.read(reg::kIrqStatus), reg::kIrqDone | reg::kIrqFault);
  regs->fault_i = 0;
  regs->ended_i = 1;
  regs->awaddr_i = reg::kIrqStatus;
  regs->wdata_i = reg::kIrqDone | reg::kIrqFault;
  regs->wstrb_i = 15;
  regs->awvalid_i = regs->wvalid_i = 1;
  regs.step();
  regs->ended_i = 0;
  regs->awvalid_i = regs->wvalid_i = 0;
  regs.step();
  EXPECT_EQ(regs.read(reg::kIrqStatus), reg::kIrqDone);
}

}  // namespace
}  // namespace vta::hw::test
