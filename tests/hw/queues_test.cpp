// FIFO, command queue, token queue and read arbiter by themselves, with random use.
#include <array>
#include <cstring>
#include <deque>
#include <vector>

#include "Varbiter_default.h"
#include "Vbounds_every_kind.h"
#include "Vcmd_queue_tiny.h"
#include "Vfifo_five.h"
#include "Vtokens_tiny.h"
#include "isa/instruction/encoding.h"
#include "isa/instruction/handover.h"
#include "isa/spec/timing.h"
#include "tests/hw/bundles.h"
#include "tests/hw/clocked.h"
#include "tests/hw/transfer_flags.h"

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

// Of a hand-over: rows of OUT that end near its end, or anywhere.
void placeInOut(Rng& rng, const HwConfig& hw, MemInsn& mem) {
  mem.x_stride = uniform(rng, 0, uniform(rng, 0, 1) != 0 ? 65535 : 60);
  mem.dram_base = uniform(rng, 0, 1) != 0 ? uniform(rng, 0, 2047) : rng();
  const uint64_t depth = handoverDepth(hw);
  const uint64_t elems = handoverEnd(mem) - (handoverEnd(mem) != 0 ? mem.dram_base : 0);
  if (uniform(rng, 0, 3) == 0 || elems > depth) return;
  mem.dram_base = static_cast<uint32_t>(depth - elems + uniform(rng, 0, 1));
}

// A transfer that ends near its scratchpad's end, or anywhere.
MemInsn randomTransfer(Rng& rng, const HwConfig& hw, bool store) {
  constexpr std::array kLoads = {
      MemoryType::kUop,  MemoryType::kWgt,           MemoryType::kInp,       MemoryType::kAcc,
      MemoryType::kAcc8, MemoryType::kWgtTransposed, MemoryType::kInpFromOut};
  MemInsn mem;
  mem.memory_type = store ? MemoryType::kOut : kLoads.at(uniform(rng, 0, kLoads.size() - 1));
  const bool large = uniform(rng, 0, 1) != 0;
  mem.x_size = uniform(rng, 0, large ? 65535 : 40);
  mem.y_size = uniform(rng, 0, large ? 65535 : 40);
  if (!store) {
    mem.x_pad_0 = uniform(rng, 0, 15);
    mem.x_pad_1 = uniform(rng, 0, 15);
    mem.y_pad_0 = uniform(rng, 0, 15);
    mem.y_pad_1 = uniform(rng, 0, 15);
  }
  const uint64_t elems =
      uint64_t{mem.x_size + mem.x_pad_0 + mem.x_pad_1} * (mem.y_size + mem.y_pad_0 + mem.y_pad_1);
  const uint64_t depth = hw.depthElems(mem.memory_type);
  mem.sram_base = uniform(rng, 0, 2047);
  if (elems <= depth) mem.sram_base = static_cast<uint32_t>(depth - elems + uniform(rng, 0, 1));
  if (mem.memory_type == MemoryType::kInpFromOut) placeInOut(rng, hw, mem);
  return mem;
}

// docs/timing.md: at the head in max(d + 6, s + 1), d its dispatch, s the start of the one before;
// room while fewer than the depth are behind the head.
TEST(CommandQueue, HeadAndRoomAreTimed) {
  constexpr size_t kDepth = 8;
  constexpr uint64_t kLatency = timing::kQueueLatency;
  constexpr uint64_t kArrival = 3;  // vta_bounds takes that long
  Clocked<Vcmd_queue_tiny> dut;
  dut->clear_i = 0;
  Rng rng(2);
  struct Entry {
    uint32_t word;
    uint64_t pushed;
  };
  std::deque<Entry> model;   // the head included
  std::deque<Entry> coming;  // pushed and not arrived
  uint64_t last_pop = 0;
  bool popped_any = false;
  for (int i = 0; i < 5000; ++i) {
    const uint64_t t = dut.cycle();
    const bool busy_phase = i / 500 % 2 == 0;
    dut.settle();
    const bool visible = !model.empty() && t >= model.front().pushed + kLatency &&
                         (!popped_any || t >= last_pop + 1);
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
    const bool arrives = !coming.empty() && coming.front().pushed + kArrival == t;
    dut->arrive_i = arrives;
    dut->cmd_i.at(0) = arrives ? coming.front().word : 0;
    if (arrives) coming.pop_front();
    if (dut->push_i) coming.push_back({word, t});
    if (dut->pop_i) {
      model.pop_front();
      last_pop = t;
      popped_any = true;
    }
    if (dut->push_i) model.push_back({word, t});
    dut.edge();
  }
}

// Every instruction comes out three cycles later, for the same queue, with what is said of it.
TEST(Bounds, SaysWhatLeavesItsScratchpad) {
  const HwConfig hw = *loadHwConfig(VTA_SOURCE_DIR "/tests/hw/configs/loads-1x16x16.yaml");
  Clocked<Vbounds_every_kind> dut;
  dut->clear_i = 0;
  Rng rng(9);
  struct Entry {
    uint8_t queues;
    uint32_t number;
    uint32_t flags;
  };
  std::deque<Entry> coming(3, Entry{0, 0, 0});
  int past_end = 0;
  for (uint32_t i = 0; i < 20000; ++i) {
    const bool store = uniform(rng, 0, 3) == 0;
    const MemInsn mem = randomTransfer(rng, hw, store);
    const Opcode opcode = store ? Opcode::kStore : Opcode::kLoad;
    std::vector<std::byte> code;
    const Instruction insn = store ? Instruction::store(mem) : Instruction::load(mem);
    ASSERT_TRUE(encodeInstruction(insn, hw, code).ok());
    std::memcpy(&dut->cmd_i.at(0), code.data(), 16);
    dut->cmd_i.at(4) = i;
    dut->push_i = static_cast<uint8_t>(uniform(rng, 0, 1) << uniform(rng, 0, 2));
    coming.push_back({dut->push_i, i, transferFlags(opcode, mem, hw)});
    dut.settle();
    ASSERT_EQ(dut->arrive_o, coming.front().queues);
    if (dut->arrive_o != 0) {
      ASSERT_EQ(dut->cmd_o.at(4), coming.front().number);
      ASSERT_EQ(dut->cmd_o.at(5), coming.front().flags) << coming.front().number;
      past_end += static_cast<int>(coming.front().flags >> 1);
    }
    coming.pop_front();
    dut.edge();
  }
  EXPECT_GT(past_end, 1000);
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
