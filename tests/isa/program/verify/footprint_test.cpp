#include "isa/program/verify/footprint.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/isa/config/random_config.h"

namespace vta::verify {
namespace {

std::set<uint32_t> elementsOf(const Footprint& footprint) {
  std::set<uint32_t> elements;
  footprint.forEachRun([&](uint32_t begin, uint32_t end) {
    for (uint32_t i = begin; i < end; ++i) elements.insert(i);
  });
  return elements;
}

TEST(Footprint, EqualsTheEnumeratedSetOnRandomLoops) {
  test::Rng rng(10);
  for (int round = 0; round < 2000; ++round) {
    std::vector<Uop> uops(static_cast<size_t>(test::uniform(rng, 1, 6)));
    for (Uop& uop : uops) uop.src_idx = static_cast<uint32_t>(test::uniform(rng, 0, 30));
    const AffineLoops loops{static_cast<uint32_t>(test::uniform(rng, 1, 5)),
                            static_cast<uint32_t>(test::uniform(rng, 1, 5)),
                            static_cast<uint32_t>(test::uniform(rng, 0, 7)),
                            static_cast<uint32_t>(test::uniform(rng, 0, 7))};
    const auto width = static_cast<uint32_t>(test::uniform(rng, 1, 4));
    std::set<uint32_t> expected;
    for (uint32_t i0 = 0; i0 < loops.iter_out; ++i0) {
      for (uint32_t i1 = 0; i1 < loops.iter_in; ++i1) {
        for (const Uop& uop : uops) {
          const uint32_t first = uop.src_idx + i0 * loops.factor_out + i1 * loops.factor_in;
          for (uint32_t i = 0; i < width; ++i) expected.insert(first + i);
        }
      }
    }
    Footprint footprint;
    footprint.build(uops, &Uop::src_idx, loops, width);
    EXPECT_EQ(footprint.end(), *expected.rbegin() + 1);
    footprint.expand();
    ASSERT_EQ(elementsOf(footprint), expected);
  }
}

TEST(Footprint, EndDoesNotWrapForHugeLoops) {
  const std::vector<Uop> uops = {{2047, 0, 0}};
  Footprint footprint;
  footprint.build(uops, &Uop::dst_idx, {16383, 16383, 65535, 65535});
  EXPECT_EQ(footprint.end(), 2047u + 2 * uint64_t{16382} * 65535 + 1);
}

TEST(Footprint, MemoryInstructionsAreOneRun) {
  Footprint footprint;
  footprint.buildRun(7, 5);
  EXPECT_EQ(footprint.end(), 12u);
  EXPECT_EQ(elementsOf(footprint), (std::set<uint32_t>{7, 8, 9, 10, 11}));
}

}  // namespace
}  // namespace vta::verify
