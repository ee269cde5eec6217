#include "sim/cycle/common/bursts.h"

#include <gtest/gtest.h>

#include <vector>

namespace vta::sim::cycle {
namespace {

using Bursts = std::vector<std::pair<uint64_t, uint32_t>>;

Bursts walk(const Rows& rows, int log_beat_bytes, int max_beats = 16) {
  HwParams params;
  params.axi_max_burst_beats = max_beats;
  params.axi_data_width_bits = 8 << log_beat_bytes;
  BurstWalker walker(*HwConfig::create(params));
  walker.begin(rows);
  Bursts bursts;
  while (!walker.done()) {
    const Burst burst = walker.next();
    bursts.emplace_back(burst.address, burst.beats);
  }
  return bursts;
}

TEST(BurstsTest, SixteenBeatsAtMost) {
  EXPECT_EQ(walk({0, 8 * 33, 0, 1}, 3), (Bursts{{0, 16}, {128, 16}, {256, 1}}));
}

TEST(BurstsTest, TheConfigurationSaysHowManyBeatsAtMost) {
  EXPECT_EQ(walk({0, 8 * 7, 0, 1}, 3, 3), (Bursts{{0, 3}, {24, 3}, {48, 1}}));
  EXPECT_EQ(walk({8, 16, 0, 1}, 3, 1), (Bursts{{8, 1}, {16, 1}}));
  EXPECT_EQ(walk({0, 8 * 300, 0, 1}, 3, 256), (Bursts{{0, 256}, {2048, 44}}));
  // 256 beats of 64 bytes are more than what no burst may cross.
  EXPECT_EQ(walk({0, 64 * 65, 0, 1}, 6, 256), (Bursts{{0, 64}, {4096, 1}}));
}

TEST(BurstsTest, NoneCrossesFourKibibytes) {
  EXPECT_EQ(walk({4096 - 24, 64, 0, 1}, 3), (Bursts{{4072, 3}, {4096, 5}}));
}

TEST(BurstsTest, BeatsCoverRowsThatBeginAndEndInside) {
  EXPECT_EQ(walk({68, 8, 0, 1}, 6), (Bursts{{64, 1}}));
  EXPECT_EQ(walk({124, 8, 0, 1}, 6), (Bursts{{64, 2}}));
}

TEST(BurstsTest, RowsShareNoBurst) {
  EXPECT_EQ(walk({0, 16, 32, 3}, 3), (Bursts{{0, 2}, {32, 2}, {64, 2}}));
  EXPECT_EQ(walk({0, 16, 0, 2}, 3), (Bursts{{0, 2}, {0, 2}}));
}

TEST(BurstsTest, NoDataNoBursts) {
  EXPECT_TRUE(walk({0, 0, 32, 3}, 3).empty());
  EXPECT_TRUE(walk({0, 16, 32, 0}, 3).empty());
}

}  // namespace
}  // namespace vta::sim::cycle
