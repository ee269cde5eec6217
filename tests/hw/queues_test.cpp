// FIFO, command queue, token queue and read arbiter by themselves, with random use.
#include <array>
#include <deque>
#include <vector>

#include "Varbiter_default.h"
#include "Vcmd_queue_tiny.h"
#include "Vfifo_five.h"
#include "Vtokens_tiny.h"
#include "tests/hw/bundles.h"
#include "tests/hw/clocked.h"

namespace vta::hw::test {
namespace {

TEST(Fifo, KeepsOrderAndCount) {
  constexpr size_t kDepth = 5;
  Clocked<Vfifo_five> dut;
  Rng rng(1);
  std::deque<uint8_t> model;
  for (int i = 0; i < 5000; ++i) {
    dut->clear_i = uniform(rng, 0, 99) == 0;
    dut.settle();
    ASSERT_EQ(dut->empty_o, model.empty());
    ASSERT_EQ(dut->full_o, model.size() == kDepth);
    if (!model.empty()) {
      ASSERT_EQ(dut->head_o, model.front());
    }
    dut->push_i = !dut->clear_i && !dut->full_o && uniform(rng, 0, 1) != 0;
    dut->pop_i = !dut->clear_i && !dut->empty_o && uniform(rng, 0, 1) != 0;
    dut->data_i = static_cast<uint8_t>(rng());
    if (dut->pop_i) model.pop_front();
    if (dut->push_i) model.push_back(dut->data_i);
    if (dut->clear_i) model.clear();
    dut.edge();
  }
}

// docs/timing.md: at the head in max(d + 2, s + 1), d its dispatch, s the start of the one before;
// room while fewer than the depth are in the memory.
TEST(CommandQueue, HeadAndRoomAreTimed) {
  constexpr size_t kDepth = 8;
  Clocked<Vcmd_queue_tiny> dut;
  dut->clear_i = 0;
  Rng rng(2);
  struct Entry {
    uint32_t word;
    uint64_t pushed;
  };
  std::deque<Entry> model;  // the head included
  uint64_t last_pop = 0;
  bool popped_any = false;
  for (int i = 0; i < 5000; ++i) {
    const uint64_t t = dut.cycle();
    const bool busy_phase = i / 500 % 2 == 0;
    dut.settle();
    const bool visible =
        !model.empty() && t >= model.front().pushed + 2 && (!popped_any || t >= last_pop + 1);
    ASSERT_EQ(dut->head_valid_o, visible) << t;
    if (visible) {
      ASSERT_EQ(dut->head_o.at(0), model.front().word);
    }
    const size_t behind = model.size() - (visible ? 1 : 0);
    ASSERT_EQ(dut->room_o, behind < kDepth) << t;
    ASSERT_EQ(dut->behind_empty_o, behind == 0);
    dut->push_i = dut->room_o && uniform(rng, 0, busy_phase ? 1 : 3) == 0;
    dut->pop_i = visible && uniform(rng, 0, busy_phase ? 3 : 1) == 0;
    const auto word = static_cast<uint32_t>(rng());
    dut->cmd_i.at(0) = word;
    if (dut->pop_i) {
      model.pop_front();
      last_pop = t;
      popped_any = true;
    }
    if (dut->push_i) model.push_back({word, t});
    dut.edge();
  }
}

TEST(Tokens, CountAndOverflow) {
  constexpr int kDepth = 4;
  Clocked<Vtokens_tiny> dut;
  dut->clear_i = 0;
  Rng rng(3);
  int count = 0;
  int overflows = 0;
  for (int i = 0; i < 5000; ++i) {
    dut->push_i = uniform(rng, 0, 1) != 0;
    dut->pop_i = count > 0 && uniform(rng, 0, 2) == 0;
    dut.settle();
    ASSERT_EQ(dut->avail_o, count > 0);
    const bool overflow = dut->push_i && !dut->pop_i && count == kDepth;
    ASSERT_EQ(dut->overflow_o, overflow);
    overflows += overflow ? 1 : 0;
    if (!overflow) count += dut->push_i - dut->pop_i;
    dut.edge();
  }
  EXPECT_GT(overflows, 10);
}

// Requests are granted in turn, one a cycle while the channel takes them, and stand on the channel
// until accepted.
TEST(ReadArbiter, IsFairAndExclusive) {
  constexpr int kAddrBits = 32;
  Clocked<Varbiter_default> dut;
  dut->clear_i = 0;
  Rng rng(4);
  int last = 2;
  bool valid = false;
  uint64_t addr = 0;
  int id = 0;
  std::array<int, 3> grants{};
  for (int i = 0; i < 5000; ++i) {
    const uint32_t req = i < 1000 ? 7 : uniform(rng, 0, 7);
    dut->arready_i = i < 1000 || uniform(rng, 0, 2) != 0;
    std::array<BurstBundle, 3> bursts;
    for (size_t w = 0; w < 3; ++w) {
      bursts[w] = {(req >> w & 1) != 0, static_cast<uint32_t>(rng()) & ~7u, w == 0 ? 3u : 2u};
    }
    dut->fetch_i = packBurst(bursts[0], kAddrBits);
    dut->load_i = packBurst(bursts[1], kAddrBits);
    dut->compute_i = packBurst(bursts[2], kAddrBits);
    dut.settle();
    const AxiAddrBundle ar = axiAddrOf(dut->ar_o, kAddrBits);
    ASSERT_EQ(ar.valid, valid);
    if (valid) {
      ASSERT_EQ(ar.addr, addr);
      ASSERT_EQ(ar.id, id);
      ASSERT_EQ(ar.len, id == 0 ? 2u : 1u);
    }
    int pick = -1;
    for (int k = 1; k <= 3 && pick < 0; ++k) {
      if ((req >> ((last + k) % 3) & 1) != 0) pick = (last + k) % 3;
    }
    const bool free = !valid || dut->arready_i;
    ASSERT_EQ(dut->grant_o, free && pick >= 0 ? 1 << pick : 0);
    if (free) {
      valid = pick >= 0;
      if (valid) {
        last = id = pick;
        addr = bursts.at(static_cast<size_t>(pick)).addr;
        if (i < 1000) ++grants.at(static_cast<size_t>(pick));
      }
    }
    dut.edge();
  }
  for (const int count : grants) EXPECT_NEAR(count, 333, 1);
}

}  // namespace
}  // namespace vta::hw::test
