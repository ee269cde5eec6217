#include "compiler/kernel/desc/pool_plan.h"

#include <gtest/gtest.h>

#include <vector>

namespace vta::kernel::testing {
namespace {

using Range = RegionAxis::Range;

TEST(PoolAxis, TakesAClassThatNoOtherWindowReads) {
  // 3 with stride 2: taps 0 and 2 read what neighbours read, tap 1 does not.
  const auto padded = makePoolAxis(112, 56, 3, 2, 1);
  ASSERT_TRUE(padded);
  EXPECT_EQ(padded->centre, 1);
  EXPECT_EQ(padded->classes(), 2);
  EXPECT_EQ(padded->sharedClasses(), 1);
  EXPECT_TRUE(padded->isShared(0));
  EXPECT_FALSE(padded->isShared(1));
  // 2 with stride 2 and 3 with stride 3: nothing is shared, any class that lies inside serves.
  EXPECT_EQ(makePoolAxis(8, 4, 2, 2, 0)->centre, 0);
  EXPECT_EQ(makePoolAxis(10, 4, 3, 3, 2)->centre, 2);
  // A window shorter than its stride.
  EXPECT_EQ(makePoolAxis(9, 3, 2, 4, 0)->classes(), 2);
}

TEST(PoolAxis, ThereMayBeNone) {
  EXPECT_FALSE(makePoolAxis(8, 8, 3, 1, 1)) << "every tap is shared";
  EXPECT_FALSE(makePoolAxis(8, 4, 4, 2, 1)) << "every tap is shared";
  EXPECT_FALSE(makePoolAxis(8, 4, 2, 2, 2)) << "the first window lies outside";
  EXPECT_FALSE(makePoolAxis(6, 4, 3, 2, 1)) << "the last window's centre lies outside";
  EXPECT_FALSE(makePoolAxis(50, 5, 5, 10, 0)) << "more classes than planes of accumulators";
}

TEST(PoolAxis, CellsAreWhatATileReadsAndNoTileBeforeIt) {
  const PoolAxis axis = *makePoolAxis(112, 56, 3, 2, 1);
  // Class 0 of the first tile: place -1 is outside; 1, 3 and 5 are inside.
  EXPECT_EQ(axis.cells(0, 0, 3, true), (Range{1, 4}));
  EXPECT_EQ(axis.cells(1, 0, 3, true), (Range{0, 3}));
  EXPECT_EQ(axis.place(0, 1), 1);
  EXPECT_EQ(axis.place(1, 0), 0);
  // Of the next tile: place 5 has been computed.
  EXPECT_EQ(axis.cells(0, 3, 3, true), (Range{4, 7}));
  EXPECT_EQ(axis.cells(0, 3, 3, false), (Range{3, 7}));
  // The last one ends with place 111.
  EXPECT_EQ(axis.cells(0, 54, 2, true), (Range{55, 57}));
  EXPECT_EQ(axis.place(0, 56), 111);
}

TEST(PoolAxis, TilesTogetherComputeEveryPlaceOnce) {
  for (const int64_t kernel : {1, 2, 3, 4}) {
    for (const int64_t stride : {1, 2, 3, 4}) {
      for (const int64_t pad : {0, 1, 2}) {
        for (const int64_t in : {7, 12, 13}) {
          const int64_t out = (in + 2 * pad - kernel) / stride + 1;
          const auto axis = makePoolAxis(in, out, kernel, stride, pad);
          if (!axis) continue;
          for (int64_t size = 1; size <= out; ++size) {
            std::vector<int> computed(in, 0);
            for (int64_t begin = 0; begin < out; begin += size) {
              for (int64_t q = 0; q < axis->classes(); ++q) {
                const Range cells = axis->cells(q, begin, std::min(size, out - begin), true);
                for (int64_t j = cells.begin; j < cells.end; ++j) ++computed.at(axis->place(q, j));
              }
            }
            for (int64_t o = 0; o < out; ++o) {
              for (int64_t tap = 0; tap < kernel; ++tap) {
                const int64_t place = o * stride + tap - pad;
                if (place < 0 || place >= in) continue;
                EXPECT_EQ(computed[place], 1) << place;
              }
            }
          }
        }
      }
    }
  }
}

TEST(PoolTile, OutputsLieSideBySideAndOperandsInOtherBanks) {
  PoolPlan plan;
  plan.rows = plan.cols = *makePoolAxis(112, 56, 3, 2, 1);
  EXPECT_EQ(plan.aluPerOutput(), 6);
  EXPECT_EQ(plan.cellsPerOutput(), 4);
  Tile tile;
  tile.y = 4;
  tile.height = 4;
  tile.width = 56;
  const PoolTile p = makePoolTile(plan, tile);
  EXPECT_EQ(p.base[1][1], 0u);
  EXPECT_GE(p.elems, 4u * 4 * 56);
  EXPECT_LE(p.elems, 4u * 4 * 56 + 3 * 3);
  EXPECT_EQ(p.area.y, 8);
  EXPECT_EQ(p.area.height, 8);
  EXPECT_EQ(p.area.x, 0);
  EXPECT_EQ(p.area.width, 112);
  // Along rows tap 0 reads one element before tap 2's, down columns 56 elements before.
  const uint32_t right = p.base[1][0];
  EXPECT_NE(right % 4, 0u);
  EXPECT_NE((right - 1) % 4, 0u);
  EXPECT_NE(p.base[0][1] % 4, 0u);
}

TEST(PoolTile, WindowsThatSlideHaveARectangleWithItsSurroundings) {
  EXPECT_FALSE(makeSlidingAxis(8, 10, 3, 3)) << "the first window lies outside";
  EXPECT_FALSE(makeSlidingAxis(8, 10, 3, 1)) << "the last window lies outside";
  PoolPlan plan;
  plan.rows = plan.cols = *makeSlidingAxis(14, 14, 3, 1);
  EXPECT_TRUE(plan.rows.slides);
  EXPECT_EQ(plan.rows.sharedClasses(), 0) << "nothing is carried";
  EXPECT_EQ(plan.aluPerOutput(), 4);
  Tile tile;
  tile.height = 5;
  tile.width = 14;
  tile.group_out_blocks = 2;
  const PoolTile top = makePoolTile(plan, tile);
  EXPECT_EQ(top.area.y, 0);
  EXPECT_EQ(top.area.height, 6) << "one row more, below";
  EXPECT_EQ(top.area.width, 14);
  EXPECT_EQ(top.height, 7);
  EXPECT_EQ(top.row_pitch, 17) << "16 would put rows into one bank";
  EXPECT_EQ(top.block_pitch, 7 * 17);
  EXPECT_EQ(top.elems, 2u * 7 * 17);
  tile.y = 5;
  const PoolTile middle = makePoolTile(plan, tile);
  EXPECT_EQ(middle.area.y, 4);
  EXPECT_EQ(middle.area.height, 7);
}

TEST(PoolTile, TheLargestIsNoSmallerThanAny) {
  PoolPlan plan;
  plan.rows = *makePoolAxis(13, 7, 3, 2, 1);
  plan.cols = *makePoolAxis(10, 4, 3, 2, 0);
  Geometry outputs;
  outputs.out_height = 7;
  outputs.out_width = 4;
  outputs.out_channel_blocks = outputs.in_channel_blocks = 3;
  for (int64_t height = 1; height <= 7; ++height) {
    for (int64_t width = 1; width <= 4; ++width) {
      Schedule schedule;
      schedule.tile_height = height;
      schedule.tile_width = width;
      schedule.tile_out_blocks = 2;
      const Tiling tiling = makeTiling(outputs, schedule);
      const PoolTileSize largest = largestPoolTile(plan, outputs, tiling);
      for (int64_t pixel = 0; pixel < tiling.pixelTiles(); ++pixel) {
        for (int64_t out = 0; out < tiling.outTiles(); ++out) {
          const PoolTile p = makePoolTile(plan, makeTile(outputs, tiling, pixel, out));
          EXPECT_LE(p.elems, largest.elems);
          EXPECT_LE(p.area.height, largest.height);
          EXPECT_LE(p.area.width, largest.width);
        }
      }
    }
  }
}

}  // namespace
}  // namespace vta::kernel::testing
