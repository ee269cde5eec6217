#include "compiler/kernel/desc/tiling.h"

#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "tests/compiler/kernel/random_kernel.h"
#include "tests/compiler/kernel/sample_kernels.h"

namespace vta::kernel::testing {
namespace {

Schedule tiles(int64_t height, int64_t width, int64_t out, int64_t in) {
  Schedule s;
  s.tile_height = height;
  s.tile_width = width;
  s.tile_out_blocks = out;
  s.tile_in_blocks = in;
  return s;
}

TEST(Tiling, RemaindersAreSmallerTiles) {
  const KernelDesc desc = smallConvolution();
  const Tiling t = makeTiling(desc, tiles(3, 8, 2, 1));
  EXPECT_EQ(t.tiles_y, 3);
  EXPECT_EQ(t.steps(), 2);
  EXPECT_EQ(makeTile(desc.geometry, t, 2, 0).height, 2);
}

TEST(Tiling, EveryOutputIsInExactlyOneTile) {
  Rng rng(3);
  const HwConfig hw = HwConfig::makeDefault();
  for (int round = 0; round < 50; ++round) {
    const KernelDesc desc = randomKernel(rng, hw);
    const Result<Schedule> schedule = randomSchedule(rng, desc, hw);
    ASSERT_TRUE(schedule.ok());
    const Geometry g = tiledGeometry(desc, *schedule);
    const Tiling t = makeTiling(desc, *schedule);
    std::map<std::tuple<int64_t, int64_t, int64_t, int64_t>, int> seen;
    for (int64_t pixel = 0; pixel < g.batch_blocks * t.pixelTiles(); ++pixel) {
      for (int64_t out = 0; out < t.outTiles(); ++out) {
        const Tile tile = makeTile(g, t, pixel, out);
        for (int64_t c = 0; c < tile.outBlocks(); ++c) {
          for (int64_t y = 0; y < tile.height; ++y) {
            for (int64_t x = 0; x < tile.width; ++x) {
              ++seen[{tile.n, tile.out_block + c, tile.y + y, tile.x + x}];
            }
          }
        }
      }
    }
    ASSERT_EQ(static_cast<int64_t>(seen.size()),
              g.batch_blocks * g.out_channel_blocks * g.out_height * g.out_width);
    for (const auto& [at, count] : seen) ASSERT_EQ(count, 1);
  }
}

TEST(Tiling, APointwiseImageIsOneRow) {
  KernelDesc desc = smallConvolution();
  Geometry& g = desc.geometry;
  g.kernel_height = g.kernel_width = 1;
  g.pad_top = g.pad_left = g.pad_bottom = g.pad_right = 0;
  ASSERT_TRUE(isPointwise(desc));
  const Tiling row = makeTiling(desc, tiles(1, 20, 2, 1));
  EXPECT_EQ(row.tiles_y, 1);
  EXPECT_EQ(row.tiles_x, 4);
  // Tiles of several rows are rectangles.
  EXPECT_EQ(makeTiling(desc, tiles(3, 4, 2, 1)).pixelTiles(), 6);
  g.stride_x = 2;
  g.out_width = 4;
  EXPECT_FALSE(isPointwise(desc));
}

TEST(Region, PaddingIsWhatLiesOutsideTheInput) {
  const KernelDesc desc = smallConvolution();
  const Tiling t = makeTiling(desc, tiles(4, 8, 1, 2));
  const Step step = makeStep(desc.geometry, t, 0);
  const Region top = makeRegion(desc.geometry, t, makeTile(desc.geometry, t, 0, 0), step);
  EXPECT_EQ(top.rows.size, 6);
  EXPECT_EQ(top.rows.padBefore(), 1);
  EXPECT_EQ(top.rows.padAfter(), 0);
  EXPECT_EQ(top.cols.padBefore(), 1);
  EXPECT_EQ(top.cols.padAfter(), 1);
  EXPECT_TRUE(top.canPadByLoad());
}

TEST(Region, OneTapWithStrideReadsOnlyTheRowsItNeeds) {
  KernelDesc desc = smallConvolution();
  Geometry& g = desc.geometry;
  g.kernel_height = g.kernel_width = 1;
  g.pad_top = g.pad_left = g.pad_bottom = g.pad_right = 0;
  g.stride_y = g.stride_x = 2;
  g.out_height = g.out_width = 4;
  const Tiling t = makeTiling(desc, tiles(4, 4, 1, 1));
  const Region region = makeRegion(g, t, makeTile(g, t, 0, 0), makeStep(g, t, 0));
  EXPECT_EQ(region.rows.size, 4);
  EXPECT_EQ(region.rows.step, 2);
  EXPECT_EQ(region.rows.out_stride, 1);
  EXPECT_EQ(region.cols.size, 7);
}

TEST(Region, PaddingPastTheLoadFieldIsReported) {
  KernelDesc desc = smallConvolution();
  Geometry& g = desc.geometry;
  g.dilation_y = 18;
  g.pad_top = g.pad_bottom = 18;
  const Tiling t = makeTiling(desc, tiles(8, 8, 1, 1));
  const Region region = makeRegion(g, t, makeTile(g, t, 0, 0), makeStep(g, t, 0));
  EXPECT_EQ(region.rows.padBefore(), 18);
  EXPECT_FALSE(region.canPadByLoad());
}

TEST(TapRun, TapsThatReachTheSameOutputsGoTogether) {
  RegionAxis axis;  // 4 outputs, 3 taps, one padding row before
  axis.size = 6;
  axis.valid_begin = 1;
  axis.valid_end = 6;
  EXPECT_EQ(axis.outputsOfTap(0, 4), (RegionAxis::Range{1, 4}));
  const TapRun first = tapRun(axis, 0, 3, 4);
  EXPECT_EQ(first.end, 1);
  const TapRun rest = tapRun(axis, 1, 3, 4);
  EXPECT_EQ(rest.end, 3);
  EXPECT_EQ(rest.outputs, (RegionAxis::Range{0, 4}));
}

TEST(ForEachOutside, CoversTheFrameOnce) {
  int cells = 0;
  const auto count = [&](const Rect& r) {
    cells += static_cast<int>((r.y.end - r.y.begin) * (r.x.end - r.x.begin));
  };
  forEachOutside({{1, 3}, {2, 4}}, 5, 7, count);
  EXPECT_EQ(cells, 35 - 4);
  cells = 0;
  forEachOutside({{2, 2}, {0, 7}}, 5, 7, count);
  EXPECT_EQ(cells, 35);
}

}  // namespace
}  // namespace vta::kernel::testing
