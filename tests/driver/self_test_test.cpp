#include "driver/self_test.h"

#include <gmock/gmock.h>

#include "driver/device_registry.h"
#include "driver/memory_difference.h"
#include "tests/driver/broken_device.h"

namespace vta::driver {
namespace {

using testing::HasSubstr;

HwConfig configOf(const HwParams& params) {
  auto hw = HwConfig::create(params);
  EXPECT_TRUE(hw.ok()) << hw.status().message();
  return *hw;
}

std::vector<HwConfig> manyConfigs() {
  std::vector<HwConfig> configs;
  for (const auto& [batch, block_in, block_out] : std::vector<std::array<int, 3>>{
           {1, 16, 16}, {1, 2, 4}, {4, 2, 8}, {1, 64, 32}, {16, 4, 2}}) {
    HwParams p;
    p.batch = batch;
    p.block_in = block_in;
    p.block_out = block_out;
    configs.push_back(configOf(p));
  }
  HwParams small;  // two elements in each scratchpad
  small.uop_buf_bytes = 16;
  small.inp_buf_bytes = 32;
  small.wgt_buf_bytes = 512;
  small.acc_buf_bytes = 128;
  small.ext_depthwise = false;
  configs.push_back(configOf(small));
  return configs;
}

TEST(SelfTestTest, PassesOnEveryConfiguration) {
  for (const HwConfig& hw : manyConfigs()) {
    SCOPED_TRACE(hw.summary());
    for (const char* name : {"functional:checked", "cycle"}) {
      auto device = createDevice(name, hw);
      ASSERT_TRUE(device.ok()) << device.status().message();
      const SelfTestReport report = selfTest(**device);
      EXPECT_TRUE(report.passed()) << report.text();
      EXPECT_THAT(report.text(), HasSubstr("gemm: passed"));
      EXPECT_THAT(report.text(), HasSubstr("interrupt: skipped"));
    }
  }
}

TEST(SelfTestTest, PassesOnTheRtlAndLeavesNothing) {
  const HwConfig hw = HwConfig::makeDefault();
  auto device = createDevice("rtl", hw);
  ASSERT_TRUE(device.ok()) << device.status().message();
  const auto before = (*device)->allocate(64, 64);
  ASSERT_TRUE((*device)->free(*before).ok());
  const SelfTestReport report = selfTest(**device);
  EXPECT_TRUE(report.passed()) << report.text();
  EXPECT_EQ((*device)->allocate(64, 64)->address, before->address);
}

TEST(SelfTestTest, NamesWhatIsBroken) {
  struct Case {
    test::BrokenDevice::Fault fault;
    const char* line;
  };
  for (const auto& [fault, line] : {
           Case{test::BrokenDevice::Fault::kIdentity, "identification: failed: other hardware"},
           Case{test::BrokenDevice::Fault::kStaleReads, "stale cache lines"},
           Case{test::BrokenDevice::Fault::kShiftedReads, "wrong address"},
           Case{test::BrokenDevice::Fault::kShortReads, "truncated transfer"},
           Case{test::BrokenDevice::Fault::kTimeout, "load-store: failed: it hangs"},
           Case{test::BrokenDevice::Fault::kNoInterrupt, "interrupt: failed: it did not come"},
       }) {
    test::BrokenDevice device(fault);
    const SelfTestReport report = selfTest(device);
    EXPECT_FALSE(report.passed()) << line;
    EXPECT_THAT(report.text(), HasSubstr(line));
  }
}

TEST(MemoryDifferenceTest, FindsNothingInEqualMemory) {
  const std::vector<std::byte> bytes(100, std::byte{7});
  EXPECT_FALSE(findDifference(bytes, bytes, {}));
}

TEST(MemoryDifferenceTest, OneBitIsAValue) {
  std::vector<std::byte> expected(100, std::byte{7});
  std::vector<std::byte> actual = expected;
  actual[40] = std::byte{6};
  const auto difference = findDifference(actual, expected, std::vector<std::byte>(100));
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->kind, DifferenceKind::kValues);
  EXPECT_EQ(difference->first_byte, 40u);
  EXPECT_EQ(difference->count, 1u);
}

}  // namespace
}  // namespace vta::driver
