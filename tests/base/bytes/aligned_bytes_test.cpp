#include "base/bytes/aligned_bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace vta {
namespace {

bool isAligned(const void* address, uint64_t alignment_bytes) {
  return reinterpret_cast<uintptr_t>(address) % alignment_bytes == 0;
}

TEST(AlignedBytes, AreAlignedAndZero) {
  for (const uint64_t size_bytes : {0, 1, 64, 65, 5000}) {
    const AlignedBytes host(size_bytes);
    const AlignedBytes page(size_bytes, 4096);
    ASSERT_NE(host.data(), nullptr);
    ASSERT_NE(page.data(), nullptr);
    EXPECT_TRUE(isAligned(host.data(), kHostAlignmentBytes));
    EXPECT_TRUE(isAligned(page.data(), 4096));
    EXPECT_EQ(std::count(host.data(), host.data() + size_bytes, std::byte{0}),
              static_cast<ptrdiff_t>(size_bytes));
  }
}

TEST(AlignedBytes, MoveAndDefault) {
  EXPECT_EQ(AlignedBytes().data(), nullptr);
  AlignedBytes from(8);
  std::byte* const data = from.data();
  const AlignedBytes to = std::move(from);
  EXPECT_EQ(to.data(), data);
}

TEST(AlignedBytes, TakeWhatIsThere) {
  for (const size_t size_bytes : {size_t{0}, size_t{1}, size_t{65}, (size_t{20} << 20) + 7}) {
    std::vector<std::byte> bytes(size_bytes);
    for (size_t i = 0; i < size_bytes; ++i) bytes[i] = static_cast<std::byte>(i % 251);
    const std::vector<std::byte> expected = bytes;
    const AlignedBytes taken = AlignedBytes::take(std::move(bytes));
    ASSERT_NE(taken.data(), nullptr);
    EXPECT_TRUE(isAligned(taken.data(), kHostAlignmentBytes));
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), taken.data()));
  }
}

int64_t mostKilobytes() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word && word != "VmHWM:") {
  }
  int64_t kilobytes = 0;
  status >> kilobytes;
  return kilobytes;
}

TEST(AlignedBytes, TakeWithoutTwoCopies) {
  std::vector<std::byte> bytes(size_t{256} << 20, std::byte{1});
  const int64_t before = mostKilobytes();
  const AlignedBytes taken = AlignedBytes::take(std::move(bytes));
  ASSERT_NE(taken.data(), nullptr);
  EXPECT_LT(mostKilobytes() - before, 64 << 10);
}

TEST(AlignedBytes, NullWhereThereIsNotThatMuch) {
  EXPECT_EQ(AlignedBytes(UINT64_MAX).data(), nullptr);
  EXPECT_EQ(AlignedBytes(UINT64_MAX / 2).data(), nullptr);
}

}  // namespace
}  // namespace vta
