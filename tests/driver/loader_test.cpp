#include "driver/loader.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "driver/device_registry.h"
#include "tests/isa/program/sample_program.h"

namespace vta::driver {
namespace {

using testing::HasSubstr;

constexpr uint32_t kCount = 4;

class LoaderTest : public testing::Test {
 protected:
  LoaderTest() : device_(createDevice("functional", hw_).value()) {}

  /// Addresses for the program's data buffers, allocated on the device.
  std::vector<uint64_t> allocate(const Program& program) {
    std::vector<uint64_t> addresses;
    for (const BufferDecl& decl : program.buffers) {
      addresses.push_back(decl.kind == BufferKind::kUop
                              ? 0
                              : device_->allocate(decl.size_bytes, decl.alignment_bytes)->address);
    }
    return addresses;
  }

  HwConfig hw_ = HwConfig::makeDefault();
  Program program_ = test::gemmProgram(hw_, kCount);
  std::unique_ptr<Device> device_;
};

TEST_F(LoaderTest, RunsAProgramTwice) {
  const std::vector<uint64_t> addresses = allocate(program_);
  const std::vector<std::byte> ones(kCount * 16, std::byte{1});
  const std::vector<std::byte> weights(256, std::byte{3});
  ASSERT_TRUE(device_->write(addresses[1], ones).ok());
  ASSERT_TRUE(device_->write(addresses[2], weights).ok());
  auto loaded = LoadedProgram::load(*device_, program_, addresses);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  EXPECT_EQ(loaded->program(), program_);
  EXPECT_EQ(loaded->launch().instruction_count, 8u);
  for (int i = 0; i < 2; ++i) {
    const auto counters = loaded->run();
    ASSERT_TRUE(counters.ok()) << counters.status().message();
    EXPECT_EQ(counters->gemm_uops, 2 * kCount);
    std::vector<std::byte> out(kCount * 16);
    ASSERT_TRUE(device_->read(addresses[3], out).ok());
    EXPECT_EQ(out, std::vector<std::byte>(kCount * 16, std::byte{16 * 3 >> 4}));
    ASSERT_TRUE(device_->write(addresses[3], ones).ok());
  }
}

TEST_F(LoaderTest, FreesItsMemory) {
  const std::vector<uint64_t> addresses = allocate(program_);
  uint64_t instructions = 0;
  {
    auto loaded = LoadedProgram::load(*device_, program_, addresses);
    ASSERT_TRUE(loaded.ok());
    instructions = loaded->launch().instruction_address;
    LoadedProgram moved = *std::move(loaded);
    LoadedProgram other = LoadedProgram::load(*device_, program_, addresses).value();
    other = std::move(moved);
    EXPECT_EQ(other.launch().instruction_address, instructions);
    EXPECT_TRUE(other.run().ok());
  }
  std::byte byte{};
  EXPECT_FALSE(device_->read(instructions, {&byte, 1}).ok());
}

TEST_F(LoaderTest, FaultNamesNumberSymbolDisassemblyAndReason) {
  program_.symbols = {{0, "conv1"}, {4, "conv2"}};
  program_.instructions[4].gemm().iter_in = 2049;
  auto loaded = LoadedProgram::load(*device_, program_, allocate(program_));
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  const auto counters = loaded->run();
  ASSERT_FALSE(counters.ok());
  EXPECT_EQ(counters.status().code(), StatusCode::kDeviceFault);
  const std::string& message = counters.status().message();
  EXPECT_THAT(message, HasSubstr("SRAM access out of bounds at instruction 4 of 'conv2': gemm "));
  EXPECT_THAT(message, HasSubstr("its dst index reaches 2048"));
}

TEST_F(LoaderTest, DeadlockWithoutSymbol) {
  program_.symbols.clear();
  program_.instructions[2].tokens.push_next = false;
  auto loaded = LoadedProgram::load(*device_, program_, allocate(program_));
  ASSERT_TRUE(loaded.ok());
  const auto counters = loaded->run();
  ASSERT_FALSE(counters.ok());
  EXPECT_THAT(counters.status().message(), HasSubstr("deadlock at instruction 4: gemm"));
  EXPECT_THAT(counters.status().message(), HasSubstr("which no instruction is left to push"));
}

TEST_F(LoaderTest, RejectsWhatDoesNotFit) {
  const std::vector<uint64_t> addresses = allocate(program_);
  const auto status = [&](const Program& program, std::span<const uint64_t> where) {
    return LoadedProgram::load(*device_, program, where).status();
  };
  Program other = program_;
  other.hw_fingerprint ^= 1;
  EXPECT_THAT(status(other, addresses).message(), HasSubstr("compiled for configuration"));
  other = program_;
  other.encoding = Encoding::kWide;
  EXPECT_THAT(status(other, addresses).message(), HasSubstr("wide encoding"));
  EXPECT_THAT(status(program_, std::span(addresses).first(2)).message(),
              HasSubstr("4 buffers, 2 addresses"));
  std::vector<uint64_t> misaligned = addresses;
  misaligned[1] += 1;
  EXPECT_EQ(status(program_, misaligned).code(), StatusCode::kInvalidArgument);
}

TEST_F(LoaderTest, EveryDeviceRejectsProgramsOfOtherConfigurations) {
  HwParams params = hw_.params();
  params.wgt_buf_bytes /= 2;
  const HwConfig smaller = HwConfig::create(params).value();
  const Program program = test::gemmProgram(smaller, kCount);
  for (const char* spec : {"functional", "cycle", "cycle:timing-only"}) {
    device_ = createDevice(spec, hw_).value();
    const Status status = LoadedProgram::load(*device_, program, allocate(program)).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << spec;
    EXPECT_THAT(status.message(), HasSubstr("compiled for configuration")) << spec;
  }
}

TEST_F(LoaderTest, NoRoomOnTheDevice) {
  device_ = createDevice("functional:memory=8K", hw_).value();
  program_.buffers[0].size_bytes = 1 << 20;  // micro-ops
  const std::vector<uint64_t> addresses(4, 4096);
  const auto loaded = LoadedProgram::load(*device_, program_, addresses);
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.status().code(), StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace vta::driver
