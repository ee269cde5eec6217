// Allocation, copies and mapping.
#include <gmock/gmock.h>

#include "driver/device_registry.h"
#include "tests/driver/conformance/harness.h"

namespace vta::driver::conformance {
namespace {

using testing::Each;
using testing::HasSubstr;

class MemoryTest : public ConformanceTest {
 protected:
  void SetUp() override {
    auto device = createDevice(spec(), configs().front());
    ASSERT_TRUE(device.ok()) << device.status().message();
    device_ = *std::move(device);
  }

  std::vector<std::byte> readAll(const DeviceBuffer& buffer) {
    std::vector<std::byte> bytes(buffer.size_bytes);
    EXPECT_TRUE(device_->read(buffer.address, bytes).ok());
    return bytes;
  }

  std::unique_ptr<Device> device_;
};

TEST_P(MemoryTest, AllocationsAreAlignedZeroAndDisjoint) {
  std::vector<DeviceBuffer> buffers;
  for (const uint64_t alignment : {1, 16, 64, 4096, 65536}) {
    const auto buffer = device_->allocate(1000, alignment);
    ASSERT_TRUE(buffer.ok()) << buffer.status().message();
    EXPECT_EQ(buffer->address % alignment, 0u);
    EXPECT_EQ(buffer->size_bytes, 1000u);
    EXPECT_THAT(readAll(*buffer), Each(std::byte{0}));
    for (const DeviceBuffer& other : buffers) {
      EXPECT_TRUE(buffer->address + 1000 <= other.address ||
                  other.address + 1000 <= buffer->address);
    }
    buffers.push_back(*buffer);
  }
}

TEST_P(MemoryTest, FreedMemoryIsGivenOutAgainAsZeros) {
  for (int round = 0; round < 3; ++round) {
    const DeviceBuffer buffer = device_->allocate(10000, 16).value();
    EXPECT_THAT(readAll(buffer), Each(std::byte{0}));
    ASSERT_TRUE(device_->write(buffer.address, std::vector<std::byte>(10000, std::byte{7})).ok());
    ASSERT_TRUE(device_->free(buffer).ok());
  }
}

TEST_P(MemoryTest, ExhaustionNamesRequestedAndFreeBytes) {
  const auto buffer = device_->allocate(uint64_t{1} << 50, 64);
  ASSERT_FALSE(buffer.ok());
  EXPECT_EQ(buffer.status().code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(buffer.status().message(), HasSubstr("1125899906842624 bytes"));
  EXPECT_THAT(buffer.status().message(), HasSubstr("requested"));
  EXPECT_THAT(buffer.status().message(), HasSubstr("free"));
}

TEST_P(MemoryTest, BadAllocationRequests) {
  EXPECT_EQ(device_->allocate(0, 16).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(device_->allocate(16, 3).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(device_->allocate(16, 0).status().code(), StatusCode::kInvalidArgument);
}

TEST_P(MemoryTest, FreeingWhatIsNoBuffer) {
  const DeviceBuffer buffer = device_->allocate(64, 64).value();
  EXPECT_EQ(device_->free({buffer.address + 1, 63}).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(device_->free({buffer.address, 32}).code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(device_->free(buffer).ok());
  EXPECT_EQ(device_->free(buffer).code(), StatusCode::kInvalidArgument);
}

TEST_P(MemoryTest, CopiesStayInsideOneBuffer) {
  const DeviceBuffer buffer = device_->allocate(64, 64).value();
  std::vector<std::byte> bytes(65);
  EXPECT_EQ(device_->write(buffer.address, bytes).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(device_->read(buffer.address, bytes).code(), StatusCode::kInvalidArgument);
  bytes.resize(2);
  EXPECT_TRUE(device_->write(buffer.address + 62, bytes).ok());
  EXPECT_EQ(device_->write(buffer.address + 63, bytes).code(), StatusCode::kInvalidArgument);
  ASSERT_TRUE(device_->free(buffer).ok());
  EXPECT_EQ(device_->read(buffer.address, bytes).code(), StatusCode::kInvalidArgument);
}

TEST_P(MemoryTest, FixedAddresses) {
  VTA_REQUIRE_FEATURE(Feature::kFixedAddresses);
  ASSERT_TRUE(device_->info().capabilities.fixed_addresses);
  const DeviceBuffer buffer = device_->allocateAt(0x100000, 0x1000).value();
  EXPECT_EQ(buffer.address, 0x100000u);
  for (const uint64_t address : {0x100000, 0xff001, 0x100fff}) {
    EXPECT_EQ(device_->allocateAt(address, 0x1000).status().code(), StatusCode::kResourceExhausted);
  }
  EXPECT_TRUE(device_->allocateAt(0x101000, 16).ok());
  EXPECT_TRUE(device_->allocateAt(0xff000, 0x1000).ok());
  EXPECT_EQ(device_->allocateAt(~uint64_t{0} - 8, 16).status().code(),
            StatusCode::kResourceExhausted);
  EXPECT_EQ(device_->allocateAt(0, 0).status().code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(device_->free(buffer).ok());
}

TEST_P(MemoryTest, MappedMemory) {
  VTA_REQUIRE_FEATURE(Feature::kMappedMemory);
  ASSERT_TRUE(device_->info().capabilities.mappable_memory);
  const DeviceBuffer buffer = device_->allocate(64, 64).value();
  std::byte* mapped = device_->map(buffer);
  ASSERT_NE(mapped, nullptr);
  mapped[3] = std::byte{42};
  ASSERT_TRUE(device_->flush(buffer.address, 64).ok());
  EXPECT_EQ(readAll(buffer)[3], std::byte{42});
  ASSERT_TRUE(device_->write(buffer.address, std::vector<std::byte>(1, std::byte{9})).ok());
  ASSERT_TRUE(device_->invalidate(buffer.address, 64).ok());
  EXPECT_EQ(mapped[0], std::byte{9});
  ASSERT_TRUE(device_->free(buffer).ok());
  EXPECT_EQ(device_->map(buffer), nullptr);
  EXPECT_EQ(device_->flush(buffer.address, 64).code(), StatusCode::kInvalidArgument);
}

TEST_P(MemoryTest, MissingCapabilitiesHaveTheirReason) {
  const DeviceInfo& info = device_->info();
  const Capabilities& c = info.capabilities;
  if (!c.values || !c.cycles || !c.mappable_memory || !c.fixed_addresses) {
    EXPECT_FALSE(info.limitations.empty());
  }
  const std::string& kind = GetParam().kind;
  EXPECT_THAT(info.name, testing::StartsWith(kind.empty() ? spec() : kind));
  EXPECT_TRUE(info.hw.isProgramCompatible(configs().front()));
}

VTA_INSTANTIATE_CONFORMANCE(MemoryTest);

}  // namespace
}  // namespace vta::driver::conformance
