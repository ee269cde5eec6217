#include "compiler/kernel/primitives/slot_cache.h"

#include <gtest/gtest.h>

namespace vta::kernel {
namespace {

TEST(SlotCache, ReusesTheSlotUnusedLongest) {
  SlotCache cache(100, 10, 2);
  EXPECT_EQ(cache.acquire(1).base, 100u);
  EXPECT_EQ(cache.acquire(2).base, 110u);
  EXPECT_TRUE(cache.acquire(1).hit);
  const SlotCache::Slot third = cache.acquire(3);
  EXPECT_FALSE(third.hit);
  EXPECT_EQ(third.base, 110u);
  EXPECT_FALSE(cache.acquire(2).hit);
}

}  // namespace
}  // namespace vta::kernel
