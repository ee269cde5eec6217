// The xrt device on a virtual card: what works, and what happens when the card does not.
#include <gmock/gmock.h>

#include <chrono>
#include <optional>
#include <vector>

#include "driver/check_programs.h"
#include "driver/device_registry.h"
#include "driver/loader.h"
#include "driver/self_test.h"
#include "tests/driver/core_checks.h"
#include "tests/driver/xrt/test_card.h"

namespace vta::driver {
namespace {

using test::Copy;
using test::TestCard;
using testing::HasSubstr;

std::unique_ptr<Device> openOrFail(const TestCard& card, const std::string& more = "") {
  auto device = card.open(more);
  EXPECT_TRUE(device.ok()) << device.status().message();
  return device.ok() ? *std::move(device) : nullptr;
}

TEST(XrtDeviceTest, SelfTestPassesOnBothCores) {
  for (const char* core : {"core=model", "core=rtl"}) {
    const TestCard card(core);
    const auto device = openOrFail(card);
    ASSERT_NE(device, nullptr);
    const SelfTestReport report = selfTest(*device);
    EXPECT_TRUE(report.passed()) << report.text();
    EXPECT_THAT(report.text(), HasSubstr("has no interrupt"));
  }
}

TEST(XrtDeviceTest, CountsCycles) {
  const TestCard card;
  const auto device = openOrFail(card);
  ASSERT_NE(device, nullptr);
  EXPECT_EQ(device->info().name, "xrt:0");
  test::expectCounters(*device);
}

TEST(XrtDeviceTest, BuffersAreZeroAlignedAndApart) {
  const TestCard card;
  const auto device = openOrFail(card);
  ASSERT_NE(device, nullptr);
  const auto first = device->allocate(100, 64);
  const auto second = device->allocate(5000, 1 << 20);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(second->address % (1 << 20), 0u);
  std::vector<std::byte> bytes(5000, std::byte{1});
  ASSERT_TRUE(device->read(second->address, bytes).ok());
  EXPECT_THAT(bytes, testing::Each(std::byte{0}));
  EXPECT_THAT(device->write(first->address + 96, std::vector<std::byte>(8)).message(),
              HasSubstr("do not lie in one allocated buffer"));
  EXPECT_THAT(device->free({first->address, 99}).message(), HasSubstr("no buffer of 99 bytes"));
  EXPECT_TRUE(device->free(*first).ok());
  EXPECT_FALSE(device->read(first->address, std::span(bytes).first(1)).ok());
}

TEST(XrtDeviceTest, MappedMemoryReachesTheCardWhenItIsFlushed) {
  const TestCard card;
  const auto device = openOrFail(card);
  ASSERT_NE(device, nullptr);
  const auto buffer = device->allocate(256, 64);
  std::byte* const host = device->map(*buffer);
  ASSERT_NE(host, nullptr);
  host[70] = std::byte{7};
  ASSERT_TRUE(device->flush(buffer->address + 64, 64).ok());
  host[70] = std::byte{8};  // stays on the host
  ASSERT_TRUE(device->invalidate(buffer->address + 64, 64).ok());
  EXPECT_EQ(host[70], std::byte{7});
}

TEST(XrtDeviceTest, WritesKeepWhatTheCoreWroteInTheSameLine) {
  const TestCard card;
  const auto device = openOrFail(card);
  ASSERT_NE(device, nullptr);
  test::expectWritesKeepTheLine(*device);
}

TEST(XrtDeviceTest, AResetClearsTheScratchpads) {
  const TestCard card;
  const auto device = openOrFail(card);
  ASSERT_NE(device, nullptr);
  test::expectResetClearsScratchpads(*device);
}

TEST(XrtDeviceTest, AStuckCoreIsATimeOutAndWorksBehindAReset) {
  const TestCard card("fault=stuck@1");
  const auto device = openOrFail(card, ",busy-wait=100");
  ASSERT_NE(device, nullptr);
  const auto ran = Copy(*device).run(1, std::chrono::milliseconds(50));
  EXPECT_EQ(ran.status().code(), StatusCode::kDeadlineExceeded);
  EXPECT_THAT(ran.status().message(), HasSubstr("the launch still runs after 50 ms"));
  const Status status = device->reset();
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_TRUE(Copy(*device).run(2).value());
}

TEST(XrtDeviceTest, AMemoryThatNeverAnswersIsToldBehindAReset) {
  const TestCard card("fault=dead-bus@1");
  const auto device = openOrFail(card, ",busy-wait=100");
  ASSERT_NE(device, nullptr);
  EXPECT_FALSE(Copy(*device).run(1, std::chrono::milliseconds(50)).ok());
  EXPECT_THAT(device->reset().message(), HasSubstr("the memory has not answered its bursts"));
}

TEST(XrtDeviceTest, ABusErrorIsAFaultAndTheDeviceGoesOn) {
  const TestCard card("fault=bus-error@1");
  const auto device = openOrFail(card);
  ASSERT_NE(device, nullptr);
  const auto ran = Copy(*device).run(1);
  EXPECT_EQ(ran.status().code(), StatusCode::kDeviceFault);
  EXPECT_THAT(ran.status().message(), HasSubstr("bus error"));
  EXPECT_TRUE(Copy(*device).run(2).value());
}

TEST(XrtDeviceTest, AResetInTheMiddleIsNoticed) {
  const TestCard card("fault=reset@1");
  const auto device = openOrFail(card);
  ASSERT_NE(device, nullptr);
  EXPECT_THAT(Copy(*device).run(1).status().message(), HasSubstr("was reset while a launch ran"));
}

TEST(XrtDeviceTest, ACardThatDisappearsIsNoticed) {
  const TestCard card("fault=gone@2");
  const auto device = openOrFail(card);
  ASSERT_NE(device, nullptr);
  EXPECT_TRUE(Copy(*device).run(1).value());
  const auto ran = Copy(*device).run(2);
  EXPECT_EQ(ran.status().code(), StatusCode::kIoError);
  EXPECT_THAT(ran.status().message(), HasSubstr("of the card cannot be written"));
  EXPECT_EQ(device->identify().code(), StatusCode::kIoError);
  EXPECT_FALSE(device->reset().ok());
}

TEST(XrtDeviceTest, TheSelfTestFindsABrokenMultiplier) {
  const TestCard card("fault=arithmetic@*");
  const auto device = openOrFail(card);
  ASSERT_NE(device, nullptr);
  const SelfTestReport report = selfTest(*device);
  EXPECT_FALSE(report.passed());
  EXPECT_THAT(report.text(), HasSubstr("gemm: failed"));
}

TEST(XrtDeviceTest, ANewCardTestsItself) {
  const TestCard broken("fault=arithmetic@*");
  const auto refused = broken.open(",self-test=new");
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.status().message(), HasSubstr("does not pass its self test"));
  EXPECT_THAT(refused.status().message(), HasSubstr("gemm: failed"));
}

TEST(XrtDeviceTest, CardsAreIndependent) {
  const TestCard card("cards=2");
  const auto first = createDevice(card.spec("", 0), HwConfig::makeDefault());
  const auto second = createDevice(card.spec("", 1), HwConfig::makeDefault());
  ASSERT_TRUE(first.ok() && second.ok()) << second.status().message();
  EXPECT_TRUE(Copy(**first).run(1).value());
  EXPECT_TRUE(Copy(**second).run(2).value());
}

}  // namespace
}  // namespace vta::driver
