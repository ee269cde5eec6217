#include "compiler/kernel/primitives/uop_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vta::kernel {
namespace {

using ::testing::ElementsAre;

UopPattern single(uint32_t dst) {
  UopPattern pattern;
  pattern.base.dst_idx = dst;
  return pattern;
}

TEST(UopCache, ExpandsANestOutermostFirst) {
  UopCache cache(16);
  UopPattern pattern;
  pattern.base = {1, 2, 3};
  pattern.push({2, 0, 10, 100});
  pattern.push({3, 1, 0, 0});
  pattern.count = 6;
  std::vector<Uop> uops;
  const UopCache::Lookup lookup = cache.find(pattern, uops);
  EXPECT_EQ(lookup.fill->count, 6u);
  EXPECT_THAT(uops, ElementsAre(Uop{1, 2, 3}, Uop{2, 2, 3}, Uop{3, 2, 3}, Uop{1, 12, 103},
                                Uop{2, 12, 103}, Uop{3, 12, 103}));
}

TEST(UopCache, ExpandsAPieceFromItsMiddle) {
  UopCache cache(16);
  UopPattern pattern;
  pattern.push({2, 0, 10, 0});
  pattern.push({3, 1, 0, 0});
  pattern.first = 2;
  pattern.count = 2;
  std::vector<Uop> uops;
  cache.find(pattern, uops);
  EXPECT_THAT(uops, ElementsAre(Uop{2, 0, 0}, Uop{0, 10, 0}));
}

TEST(UopCache, KeepsWhatItLoaded) {
  UopCache cache(4);
  std::vector<Uop> uops;
  EXPECT_TRUE(cache.find(single(7), uops).fill.has_value());
  const UopCache::Lookup again = cache.find(single(7), uops);
  EXPECT_FALSE(again.fill.has_value());
  EXPECT_EQ(again.sram, 0u);
  EXPECT_EQ(uops.size(), 1u);
}

TEST(UopCache, ReloadsEvictedKernelsFromTheSameDram) {
  UopCache cache(2);
  std::vector<Uop> uops;
  for (uint32_t dst = 0; dst < 3; ++dst) cache.find(single(dst), uops);
  EXPECT_FALSE(cache.find(single(1), uops).fill.has_value()) << "not evicted";
  const UopCache::Lookup evicted = cache.find(single(0), uops);
  ASSERT_TRUE(evicted.fill.has_value());
  EXPECT_EQ(evicted.fill->dram, 0u);
  EXPECT_EQ(uops.size(), 3u);
}

TEST(UopCache, KeepsThousandsOfKernelsApart) {
  UopCache cache(8192);
  std::vector<Uop> uops;
  for (uint32_t dst = 0; dst < 4000; ++dst) cache.find(single(dst), uops);
  for (uint32_t dst = 0; dst < 4000; ++dst) {
    const UopCache::Lookup lookup = cache.find(single(dst), uops);
    ASSERT_FALSE(lookup.fill.has_value());
    ASSERT_EQ(lookup.sram, dst);
  }
  EXPECT_EQ(uops.size(), 4000u);
}

}  // namespace
}  // namespace vta::kernel
