#include "compiler/kernel/schedule/floor/floor_axis.h"

#include <gtest/gtest.h>

namespace vta::kernel {
namespace {

// 13 places, padded by one on each side.
WorkAxis paddedAxis() {
  return {.in = 13,
          .out = 13,
          .tile = 13,
          .kernel = 3,
          .step_taps = 3,
          .stride = 1,
          .dilation = 1,
          .pad = 1,
          .row_step = 1};
}

TEST(FloorAxis, CutsIntoPieces) {
  EXPECT_EQ(cutInto(13, 5), (PieceCounts{{5, 2}, {3, 1}}));
  EXPECT_EQ(cutInto(12, 4), (PieceCounts{{4, 3}}));
  EXPECT_EQ(cutInto(3, 8), (PieceCounts{{3, 1}}));
  EXPECT_EQ(leastPiece(13, 5), 3);
  EXPECT_EQ(leastPiece(12, 4), 4);
  EXPECT_EQ(leastPiece(3, 8), 3);
}

TEST(FloorAxis, CountsWhatStepsRead) {
  const StepSums sums = sumSteps(paddedAxis(), 5, 3, 1);
  EXPECT_EQ(sums.steps, 3);
  EXPECT_EQ(sums.places, 6 + 7 + 4);
  EXPECT_EQ(sums.products, 13 * 3);
  EXPECT_EQ(sums.taps, 3);
  EXPECT_EQ(sums.least, 4);
  EXPECT_EQ(sums.parts, (PieceCounts{{6, 1}, {7, 1}, {4, 1}}));
}

TEST(FloorAxis, KnowsWholeAxesWithPaddingAndWithout) {
  const StepSums padded = sumSteps(paddedAxis(), 13, 3, 1);
  EXPECT_EQ(padded.whole, 0);
  EXPECT_EQ(padded.whole_padded, 1);
  WorkAxis inside = paddedAxis();
  inside.pad = 0;
  inside.out = 11;
  EXPECT_EQ(sumSteps(inside, 11, 3, 1).whole, 1);
}

// The first tap of the only output and the last one lie in the padding.
TEST(FloorAxis, LeavesOutTapsInThePadding) {
  WorkAxis axis = paddedAxis();
  axis.in = axis.out = 1;
  const StepSums sums = sumSteps(axis, 1, 1, 1);
  EXPECT_EQ(sums.steps, 1);
  EXPECT_EQ(sums.taps, 1);
  EXPECT_EQ(sums.least, 0);
}

// Windows of two with stride three make no use of every third output, so its input is not needed.
TEST(FloorAxis, CountsWhatWindowsUse) {
  WorkAxis axis = paddedAxis();
  axis.kernel = 1;
  axis.pad = 0;
  const AxisUse use = useOf(axis, {.out = 4, .kernel = 2, .stride = 3, .pad = 0});
  EXPECT_EQ(use.outputs, 8);
  EXPECT_EQ(use.valid_taps, 8);
  EXPECT_EQ(use.places, 8);
  const AxisUse all = useOf(paddedAxis(), {.out = 13, .kernel = 1, .stride = 1, .pad = 0});
  EXPECT_EQ(all.outputs, 13);
  EXPECT_EQ(all.valid_taps, 13 * 3 - 2);
  EXPECT_EQ(all.places, 13);
}

}  // namespace
}  // namespace vta::kernel
