// What the conformance suite does not see of SimMemory: the tracking of written bytes.
#include "driver/devices/sim_memory.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace vta::driver {
namespace {

constexpr uint64_t kSize = 1 << 16;

TEST(SimMemoryTest, WrittenPrefix) {
  auto memory = SimMemory::create(kSize, true).value();
  const DeviceBuffer buffer = memory->allocate(100, 1).value();
  const uint64_t at = buffer.address;
  EXPECT_EQ(memory->writtenPrefix(at, 100), 0u);
  ASSERT_TRUE(memory->write(at + 10, std::vector<std::byte>(10)).ok());
  EXPECT_EQ(memory->writtenPrefix(at, 100), 0u);
  EXPECT_EQ(memory->writtenPrefix(at + 10, 5), 5u);
  EXPECT_EQ(memory->writtenPrefix(at + 15, 100), 5u);
  memory->markWritten(at + 20, 5);
  EXPECT_EQ(memory->writtenPrefix(at + 10, 100), 15u);
  memory->markWritten(at, 100);
  EXPECT_EQ(memory->writtenPrefix(at, 100), 100u);
}

TEST(SimMemoryTest, FreeingForgetsWhatWasWritten) {
  auto memory = SimMemory::create(kSize, true).value();
  const DeviceBuffer first = memory->allocate(64, 1).value();
  const DeviceBuffer second = memory->allocate(64, 1).value();
  ASSERT_EQ(second.address, first.address + 64);
  memory->markWritten(first.address, 128);  // one interval over both
  ASSERT_TRUE(memory->free(first).ok());
  ASSERT_TRUE(memory->allocateAt(first.address, 64).ok());
  EXPECT_EQ(memory->writtenPrefix(first.address, 64), 0u);
  EXPECT_EQ(memory->writtenPrefix(second.address, 64), 64u);
}

TEST(SimMemoryTest, WithoutTrackingEverythingCountsAsWritten) {
  auto memory = SimMemory::create(kSize, false).value();
  const DeviceBuffer buffer = memory->allocate(64, 1).value();
  EXPECT_EQ(memory->writtenPrefix(buffer.address, 64), 64u);
}

TEST(SimMemoryTest, RandomIntervalsAgreeWithABitmap) {
  auto memory = SimMemory::create(kSize, true).value();
  constexpr uint64_t kBytes = 200;
  const DeviceBuffer buffer = memory->allocate(kBytes, 1).value();
  std::vector<bool> written(kBytes);
  std::mt19937 rng(1);
  for (int i = 0; i < 500; ++i) {
    const uint64_t begin = rng() % kBytes;
    const uint64_t size = rng() % std::min<uint64_t>(12, kBytes - begin + 1);
    memory->markWritten(buffer.address + begin, size);
    std::fill_n(written.begin() + static_cast<int64_t>(begin), size, true);
    const uint64_t from = rng() % kBytes;
    uint64_t prefix = 0;
    while (from + prefix < kBytes && written[from + prefix]) ++prefix;
    ASSERT_EQ(memory->writtenPrefix(buffer.address + from, kBytes - from), prefix);
    if (i % 100 != 99) continue;
    ASSERT_TRUE(memory->free(buffer).ok());
    ASSERT_TRUE(memory->allocateAt(buffer.address, kBytes).ok());
    written.assign(kBytes, false);
  }
}

TEST(SimMemoryTest, AllocationSkipsTheFirstPageAndFillsGaps) {
  auto memory = SimMemory::create(kSize, false).value();
  const DeviceBuffer a = memory->allocate(4096, 4096).value();
  const DeviceBuffer b = memory->allocate(4096, 4096).value();
  EXPECT_EQ(a.address, 4096u);
  ASSERT_TRUE(memory->free(a).ok());
  EXPECT_EQ(memory->allocate(8192, 1).value().address, b.address + 4096);
  EXPECT_EQ(memory->allocate(4096, 1).value().address, a.address);
  EXPECT_TRUE(memory->allocateAt(0, 4096).ok());
}

TEST(SimMemoryTest, GuardsKeepBuffersApart) {
  constexpr uint64_t kGuard = 4096;
  auto memory = SimMemory::create(kSize, false, kGuard).value();
  const DeviceBuffer first = memory->allocate(100, 1).value();
  const DeviceBuffer second = memory->allocate(100, 1).value();
  EXPECT_GE(second.address, first.address + 100 + kGuard);
  ASSERT_EQ(memory->buffers().size(), 2u);
  EXPECT_EQ(memory->buffers()[1].begin, second.address);
  EXPECT_EQ(memory->buffers()[1].end, second.address + 100);
  ASSERT_TRUE(memory->free(first).ok());
  // The gap holds 100 bytes and their guard, not more.
  EXPECT_GT(memory->allocate(101, 1)->address, second.address);
  EXPECT_EQ(memory->allocate(100, 1)->address, first.address);
}

}  // namespace
}  // namespace vta::driver
