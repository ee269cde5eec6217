// Rows are cut into bursts as docs/timing.md says.
#include <algorithm>
#include <vector>

#include "Vbursts_default.h"
#include "tests/hw/clocked.h"

namespace vta::hw::test {
namespace {

constexpr uint64_t kBeatBytes = 8;
constexpr uint64_t kMaxBeats = 16;

struct Burst {
  uint64_t addr;
  uint64_t beats;
  bool last;
  bool operator==(const Burst&) const = default;
};

struct Rows {
  uint64_t addr;
  uint64_t bytes;
  uint64_t count;
  uint64_t stride;
};

std::vector<Burst> expectedBursts(const Rows& rows) {
  std::vector<Burst> bursts;
  for (uint64_t y = 0; y < rows.count; ++y) {
    const uint64_t begin = rows.addr + y * rows.stride;
    uint64_t at = begin / kBeatBytes * kBeatBytes;
    const uint64_t end = (begin + rows.bytes + kBeatBytes - 1) / kBeatBytes * kBeatBytes;
    while (at < end) {
      const uint64_t page_end = (at / 4096 + 1) * 4096;
      const uint64_t stop = std::min({end, page_end, at + kMaxBeats * kBeatBytes});
      bursts.push_back({at, (stop - at) / kBeatBytes, stop == end && y + 1 == rows.count});
      at = stop;
    }
  }
  return bursts;
}

std::vector<Burst> burstsOf(Clocked<Vbursts_default>& dut, const Rows& rows, Rng& rng) {
  dut->start_i = 1;
  dut->take_i = 0;
  dut->addr_i = rows.addr;
  dut->row_bytes_i = rows.bytes;
  dut->rows_i = static_cast<uint16_t>(rows.count);
  dut->stride_bytes_i = rows.stride;
  dut.settle();
  EXPECT_TRUE(dut->free_o);
  dut.edge();
  dut->start_i = 0;
  for (int cycle = 1; cycle < 3; ++cycle) {  // offered in the third cycle after that of the start
    dut.settle();
    EXPECT_FALSE(dut->valid_o || dut->overflow_o || dut->free_o);
    dut.edge();
  }
  std::vector<Burst> bursts;
  for (int cycles = 0; cycles < 2000; ++cycles) {
    dut->take_i = 0;
    dut.settle();
    EXPECT_EQ(dut->free_o, !dut->valid_o && !dut->overflow_o);
    if (!dut->valid_o) break;
    dut->take_i = uniform(rng, 0, 3) != 0;
    dut.settle();
    if (dut->take_i) bursts.push_back({dut->addr_o, dut->beats_o, dut->last_o != 0});
    dut.edge();
  }
  return bursts;
}

TEST(Bursts, RandomRows) {
  Clocked<Vbursts_default> dut;
  dut->clear_i = 0;
  Rng rng(5);
  for (int i = 0; i < 500; ++i) {
    const Rows rows = {uniform(rng, 4096, 65535), uniform(rng, 1, i % 3 == 0 ? 9000 : 40),
                       uniform(rng, 1, 6), uniform(rng, 0, 5000)};
    ASSERT_EQ(burstsOf(dut, rows, rng), expectedBursts(rows)) << i;
  }
}

TEST(Bursts, AddressesPastTheBusAreNotOffered) {
  Clocked<Vbursts_default> dut;
  dut->clear_i = 0;
  Rng rng(6);
  const Rows rows = {0xffffff00, 0x200, 1, 0};
  EXPECT_EQ(burstsOf(dut, rows, rng).size(), 2u);
  EXPECT_TRUE(dut->overflow_o);
  EXPECT_FALSE(dut->valid_o);
}

}  // namespace
}  // namespace vta::hw::test
