#include "base/aligned_bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

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

TEST(AlignedBytes, NullWhereThereIsNotThatMuch) {
  EXPECT_EQ(AlignedBytes(UINT64_MAX).data(), nullptr);
  EXPECT_EQ(AlignedBytes(UINT64_MAX / 2).data(), nullptr);
}

}  // namespace
}  // namespace vta
