#include "sim/common/register_file.h"

#include <gtest/gtest.h>

#include <vector>

namespace vta::sim {
namespace {

class RegisterFileTest : public testing::Test {
 protected:
  void setLaunch() {
    file_.write(reg::kInsnCount, 4);
    file_.write(reg::kInsnAddr, 0x1000);
  }

  HwConfig hw_ = HwConfig::makeDefault();
  RegisterFile file_{hw_};
};

TEST_F(RegisterFileTest, Identity) {
  EXPECT_EQ(file_.read(reg::kId), reg::kIdValue);
  EXPECT_EQ(file_.read(reg::kVersion), reg::kVersionValue);
  EXPECT_EQ(file_.read(reg::kFingerprint), static_cast<uint32_t>(hw_.fingerprint()));
  EXPECT_EQ(file_.read(reg::kFingerprint + 4), static_cast<uint32_t>(hw_.fingerprint() >> 32));
  const uint32_t config = file_.read(reg::kConfig);
  EXPECT_EQ(1 << (config & 15), hw_.batch());
  EXPECT_EQ(1 << (config >> 4 & 15), hw_.blockIn());
  EXPECT_EQ(1 << (config >> 8 & 15), hw_.blockOut());
  EXPECT_EQ(8 << (config >> 20 & 15), hw_.params().axi_data_width_bits);
  EXPECT_EQ(static_cast<int>(config >> 24), hw_.params().axi_addr_width_bits);
  EXPECT_EQ(file_.read(reg::kDepths) >> 24, static_cast<uint32_t>(hw_.logDepth(MemoryType::kAcc)));
  EXPECT_EQ(file_.read(reg::kLastUopInp) >> 16, hw_.depthElems(MemoryType::kInp) - 1);
  EXPECT_EQ(file_.read(reg::kLastWgtAcc) >> 16, hw_.depthElems(MemoryType::kAcc) - 1);
}

TEST_F(RegisterFileTest, WritableRegistersKeepWhatIsWrittenAndOthersDoNot) {
  for (const RegisterInfo& info : controlRegisters()) {
    if (info.offset == reg::kControl || info.access == RegisterAccess::kWriteOneToClear) continue;
    const uint32_t before = file_.read(info.offset);
    const uint32_t value = info.offset == reg::kIrqEnable ? 3 : 0x12345678;
    EXPECT_FALSE(file_.write(info.offset, value));
    const bool writable = info.access == RegisterAccess::kReadWrite;
    EXPECT_EQ(file_.read(info.offset), writable ? value : before) << info.name;
  }
}

TEST_F(RegisterFileTest, RunningLaunchKeepsItsParametersAndRefusesAnother) {
  setLaunch();
  EXPECT_TRUE(file_.write(reg::kControl, reg::kControlLaunch));
  EXPECT_EQ(file_.read(reg::kStatus), reg::kStatusRunning);
  file_.write(reg::kInsnCount, 99);
  EXPECT_EQ(file_.read(reg::kInsnCount), 4u);
  EXPECT_FALSE(file_.write(reg::kControl, reg::kControlLaunch));
  EXPECT_EQ(file_.read(reg::kStatus), reg::kStatusRunning | reg::kStatusLaunchRefused);
}

TEST_F(RegisterFileTest, AResetGivesUpALaunchAndKeepsRegisters) {
  setLaunch();
  EXPECT_TRUE(file_.write(reg::kControl, reg::kControlLaunch));
  EXPECT_FALSE(file_.write(reg::kControl, reg::kControlLaunch));
  EXPECT_FALSE(file_.write(reg::kControl, reg::kControlReset | reg::kControlLaunch));
  EXPECT_EQ(file_.read(reg::kStatus), 0u);
  EXPECT_EQ(file_.read(reg::kControl), 0u);
  EXPECT_EQ(file_.read(reg::kInsnCount), 4u);
  EXPECT_FALSE(file_.running());
  EXPECT_TRUE(file_.write(reg::kControl, reg::kControlLaunch));
  file_.finish({}, reg::FaultCode::kDeadlock, 3);
  file_.write(reg::kControl, reg::kControlReset);
  EXPECT_EQ(file_.read(reg::kStatus), 0u);
  EXPECT_EQ(file_.read(reg::kFault), 0u);
  EXPECT_EQ(file_.read(reg::kFaultInsn), 0u);
}

TEST_F(RegisterFileTest, EndSetsCountersFaultAndInterrupt) {
  setLaunch();
  file_.write(reg::kIrqEnable, reg::kIrqFault);
  file_.write(reg::kControl, reg::kControlLaunch);
  LaunchCounters counters;
  counters.cycles = 0x500000007;
  counters.store.write_bytes = 640;
  file_.finish(counters, reg::FaultCode::kDeadlock, 3);
  EXPECT_EQ(file_.read(reg::kStatus), reg::kStatusDone | reg::kStatusFault);
  EXPECT_EQ(file_.read(reg::kFault), static_cast<uint32_t>(reg::FaultCode::kDeadlock));
  EXPECT_EQ(file_.read(reg::kFaultInsn), 3u);
  EXPECT_EQ(file_.read(reg::kCycles), 7u);
  EXPECT_EQ(file_.read(reg::kCounterCycles + 4), 5u);
  EXPECT_EQ(file_.read(reg::unitCounterOffset(3, reg::UnitCounter::kWriteBytes)), 640u);
  EXPECT_TRUE(file_.irq());
  file_.write(reg::kIrqStatus, reg::kIrqFault);
  EXPECT_FALSE(file_.irq());
  EXPECT_EQ(file_.read(reg::kIrqStatus), reg::kIrqDone);
}

TEST_F(RegisterFileTest, BadLaunches) {
  setLaunch();
  EXPECT_FALSE(file_.isBadLaunch());
  const std::vector<std::pair<uint32_t, uint32_t>> bad = {
      {reg::kInsnAddr, 0},  {reg::kInsnAddr, 0x1004}, {reg::kInsnAddrHi, 1},
      {reg::kUopBase, 2},   {reg::kWgtBase, 4},       {reg::kAccBaseHi, 1},
      {reg::kInpBaseHi, 1}, {reg::kOutBase, 1},       {reg::kInsnAddr, 0xfffffff0}};
  for (const auto& [offset, value] : bad) {
    const uint32_t good = file_.read(offset);
    file_.write(offset, value);
    EXPECT_TRUE(file_.isBadLaunch()) << std::hex << offset << " " << value;
    file_.write(offset, good);
  }
  EXPECT_FALSE(file_.isBadLaunch());
}

}  // namespace
}  // namespace vta::sim
