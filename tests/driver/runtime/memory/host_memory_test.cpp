#include "driver/runtime/memory/host_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace vta::driver {
namespace {

using ::testing::HasSubstr;

TEST(HostMemory, HoldsWhatIsWrittenAndIsMapped) {
  HostMemory memory;
  const auto buffer = memory.allocate(100, 4096);
  ASSERT_TRUE(buffer.ok()) << buffer.status().message();
  EXPECT_EQ(buffer->address % 4096, 0u);
  const std::array<std::byte, 3> data = {std::byte{1}, std::byte{2}, std::byte{3}};
  ASSERT_TRUE(memory.write(buffer->address + 97, data).ok());
  std::array<std::byte, 4> read = {};
  ASSERT_TRUE(memory.read(buffer->address + 96, read).ok());
  EXPECT_EQ(read,
            (std::array<std::byte, 4>{std::byte{0}, std::byte{1}, std::byte{2}, std::byte{3}}));
  EXPECT_EQ(memory.map(*buffer)[99], std::byte{3});
  EXPECT_TRUE(memory.flush(buffer->address, 100).ok());
  EXPECT_TRUE(memory.invalidate(buffer->address, 100).ok());
  EXPECT_TRUE(memory.free(*buffer).ok());
}

TEST(HostMemory, RefusesRangesOutsideOfBuffers) {
  HostMemory memory;
  const auto buffer = memory.allocate(64, 64);
  ASSERT_TRUE(buffer.ok());
  std::array<std::byte, 8> data = {};
  EXPECT_THAT(memory.write(buffer->address + 60, data).message(), HasSubstr("in no buffer"));
  EXPECT_THAT(memory.read(buffer->address - 1, data).message(), HasSubstr("in no buffer"));
  EXPECT_EQ(memory.map({buffer->address, 65}), nullptr);
  EXPECT_TRUE(memory.free(*buffer).ok());
  EXPECT_THAT(memory.free(*buffer).message(), HasSubstr("no buffer"));
  EXPECT_FALSE(memory.read(buffer->address, data).ok());
}

TEST(HostMemory, SaysHowMuchThereIsNot) {
  HostMemory memory;
  const auto buffer = memory.allocate(uint64_t{1} << 62, 64);
  EXPECT_EQ(buffer.status().code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(buffer.status().message(), HasSubstr("4611686018427387904 bytes"));
}

TEST(HostMemory, BuffersWithoutBytesHaveAnAddress) {
  HostMemory memory;
  const auto buffer = memory.allocate(0, 64);
  ASSERT_TRUE(buffer.ok());
  EXPECT_NE(memory.map(*buffer), nullptr);
}

}  // namespace
}  // namespace vta::driver
