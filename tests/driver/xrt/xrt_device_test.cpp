// The xrt device on a virtual card: what works, and what happens when the card does not.
#include <gmock/gmock.h>

#include <chrono>
#include <optional>
#include <vector>

#include "driver/check_programs.h"
#include "driver/device_registry.h"
#include "driver/loader.h"
#include "driver/self_test.h"
#include "tests/driver/xrt/test_card.h"

namespace vta::driver {
namespace {

using test::TestCard;
using testing::HasSubstr;

std::unique_ptr<Device> openOrFail(const TestCard& card, const std::string& more = "") {
  auto device = card.open(more);
  EXPECT_TRUE(device.ok()) << device.status().message();
  return device.ok() ? *std::move(device) : nullptr;
}

/// Runs a program that copies new bytes on the device. False when others arrive.
Result<bool> copies(Device& device, uint8_t seed,
                    std::chrono::milliseconds timeout = std::chrono::milliseconds(5000)) {
  const Program program = copyProgram(device.info().hw, 512);
  VTA_ASSIGN_OR_RETURN(const auto from, device.allocate(program.buffers[0].size_bytes, 4096));
  VTA_ASSIGN_OR_RETURN(const auto to, device.allocate(program.buffers[1].size_bytes, 4096));
  const std::vector<uint64_t> addresses = {from.address, to.address};
  VTA_ASSIGN_OR_RETURN(auto loaded, LoadedProgram::load(device, program, addresses));
  std::vector<std::byte> bytes(from.size_bytes);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 7 / 5 + seed);
  VTA_RETURN_IF_ERROR(device.write(from.address, bytes));
  VTA_RETURN_IF_ERROR(loaded.run(timeout).status());
  std::vector<std::byte> copied(bytes.size());
  VTA_RETURN_IF_ERROR(device.read(to.address, copied));
  VTA_RETURN_IF_ERROR(device.free(from));
  VTA_RETURN_IF_ERROR(device.free(to));
  return copied == bytes;
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
  const Program program = copyProgram(device->info().hw, 64);
  const auto from = device->allocate(4096, 4096);
  const std::vector<uint64_t> addresses = {from->address, from->address};
  auto loaded = LoadedProgram::load(*device, program, addresses);
  ASSERT_TRUE(loaded.ok());
  const auto counters = loaded->run();
  ASSERT_TRUE(counters.ok()) << counters.status().message();
  EXPECT_GT(counters->cycles, 100u);
  EXPECT_EQ(counters->store.write_bytes, 64u * 16);
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
  const Program program = copyProgram(device->info().hw, 1);
  const auto from = device->allocate(64, 64);
  const auto to = device->allocate(64, 64);
  const std::vector<uint64_t> addresses = {from->address, to->address};
  auto loaded = LoadedProgram::load(*device, program, addresses);
  ASSERT_TRUE(loaded.ok());
  ASSERT_TRUE(device->write(from->address, std::vector<std::byte>(16, std::byte{9})).ok());
  ASSERT_TRUE(loaded->run().ok());
  ASSERT_TRUE(device->write(to->address + 16, std::vector<std::byte>(16, std::byte{5})).ok());
  std::vector<std::byte> line(32);
  ASSERT_TRUE(device->read(to->address, line).ok());
  EXPECT_EQ(line[0], std::byte{9});
  EXPECT_EQ(line[31], std::byte{5});
}

TEST(XrtDeviceTest, AResetClearsTheScratchpads) {
  const TestCard card;
  const auto device = openOrFail(card);
  ASSERT_NE(device, nullptr);
  EXPECT_TRUE(selfTest(*device).passed());  // leaves something in ACC
  const Status reset = device->reset();
  ASSERT_TRUE(reset.ok()) << reset.message();
  const Program program = dumpProgram(device->info().hw);
  const auto out = device->allocate(program.buffers[1].size_bytes, 4096);
  const std::vector<uint64_t> addresses = {0, out->address};
  ASSERT_TRUE(LoadedProgram::load(*device, program, addresses)->run().ok());
  std::vector<std::byte> bytes(out->size_bytes, std::byte{1});
  ASSERT_TRUE(device->read(out->address, bytes).ok());
  EXPECT_THAT(bytes, testing::Each(std::byte{0}));
}

TEST(XrtDeviceTest, AStuckCoreIsATimeOutAndBlocksTheNextProcess) {
  const TestCard card("fault=stuck@1");
  const auto device = openOrFail(card, ",busy-wait=100");
  ASSERT_NE(device, nullptr);
  const auto ran = copies(*device, 1, std::chrono::milliseconds(50));
  EXPECT_EQ(ran.status().code(), StatusCode::kDeadlineExceeded);
  EXPECT_THAT(ran.status().message(), HasSubstr("the launch still runs after 50 ms"));
  EXPECT_THAT(device->reset().message(), HasSubstr("cannot be stopped"));
}

TEST(XrtDeviceTest, ABusErrorIsAFaultAndTheDeviceGoesOn) {
  const TestCard card("fault=bus-error@1");
  const auto device = openOrFail(card);
  ASSERT_NE(device, nullptr);
  const auto ran = copies(*device, 1);
  EXPECT_EQ(ran.status().code(), StatusCode::kDeviceFault);
  EXPECT_THAT(ran.status().message(), HasSubstr("bus error"));
  EXPECT_TRUE(copies(*device, 2).value());
}

TEST(XrtDeviceTest, AResetInTheMiddleIsNoticed) {
  const TestCard card("fault=reset@1");
  const auto device = openOrFail(card);
  ASSERT_NE(device, nullptr);
  EXPECT_THAT(copies(*device, 1).status().message(), HasSubstr("was reset while a launch ran"));
}

TEST(XrtDeviceTest, ACardThatDisappearsIsNoticed) {
  const TestCard card("fault=gone@2");
  const auto device = openOrFail(card);
  ASSERT_NE(device, nullptr);
  EXPECT_TRUE(copies(*device, 1).value());
  const auto ran = copies(*device, 2);
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

TEST(XrtDeviceTest, CardsAreIndependent) {
  const TestCard card("cards=2");
  const auto first = createDevice(card.spec("", 0), HwConfig::makeDefault());
  const auto second = createDevice(card.spec("", 1), HwConfig::makeDefault());
  ASSERT_TRUE(first.ok() && second.ok()) << second.status().message();
  EXPECT_TRUE(copies(**first, 1).value());
  EXPECT_TRUE(copies(**second, 2).value());
}

}  // namespace
}  // namespace vta::driver
