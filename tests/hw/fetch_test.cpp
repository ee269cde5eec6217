// Fetch: every instruction once, in order, to its unit; what ends a stream.
#include <array>
#include <cstring>
#include <vector>

#include "Vfetch_default.h"
#include "isa/instruction/encoding.h"
#include "isa/registers/registers.h"
#include "tests/hw/bundles.h"
#include "tests/hw/clocked.h"
#include "tests/hw/read_memory.h"

namespace vta::hw::test {
namespace {

constexpr uint64_t kLatency = 16;
constexpr int kAddrBits = 32;
constexpr uint64_t kAddress = 0x1fc0;  // the stream crosses a page

struct Dispatch {
  int unit;
  uint32_t number;
  uint64_t cycle;
};

class Fetch {
 public:
  explicit Fetch(const std::vector<Instruction>& program) {
    for (const Instruction& insn : program) {
      EXPECT_TRUE(encodeInstruction(insn, HwConfig::makeDefault(), stream).ok());
    }
    count = static_cast<uint32_t>(program.size());
  }

  /// From the start pulse until fetch has ended and no burst is on the way. `room(unit, cycle)`:
  /// its queue takes one.
  template <typename Room>
  void run(Room&& room) {
    ReadMemory memory(kLatency);
    dut_->clear_i = dut_->halt_i = 0;
    dut_->addr_i = kAddress;
    dut_->count_i = count;
    dut_->start_i = 1;
    dut_.edge();
    dut_->start_i = 0;
    for (uint64_t t = 0; t < 20000; ++t) {
      const ReadMemory::Beat* beat = memory.take(t);
      setReadBeat(dut_->beat_i, false, false, false, 0);
      if (beat != nullptr) setBeat(beat->last);
      dut_->grant_i = 0;
      dut_->room_i = static_cast<uint8_t>(room(0, t) | room(1, t) << 1 | room(2, t) << 2);
      dut_.settle();
      if (const BurstBundle burst = burstOf(dut_->burst_o, kAddrBits); burst.valid) {
        dut_->grant_i = 1;
        EXPECT_EQ(burst.addr, kAddress + 8 * requested_);
        requested_ += burst.beats;
        memory.grant(t, burst.addr, burst.beats);
        dut_.settle();
      }
      for (int unit = 0; unit < 3; ++unit) {
        if ((dut_->push_o >> unit & 1) != 0) {
          dispatches.push_back({unit, dut_->cmd_o.at(4), t});
          EXPECT_EQ(std::memcmp(&dut_->cmd_o.at(0), stream.data() + 16 * dut_->cmd_o.at(4), 16), 0);
        }
      }
      dut_.edge();
      if (dut_->ended_o && !dut_->bus_busy_o) break;
    }
    EXPECT_TRUE(dut_->ended_o);
    fault = dut_->fault_o;
  }

  std::vector<std::byte> stream;
  uint32_t count = 0;
  uint64_t error_beat = ~uint64_t{0};
  std::vector<Dispatch> dispatches;
  uint64_t fault = 0;  // valid, code, number

 private:
  void setBeat(bool last) {
    uint64_t data = 0;
    if (arrived_ * 8 + 8 <= stream.size()) std::memcpy(&data, stream.data() + arrived_ * 8, 8);
    setReadBeat(dut_->beat_i, true, arrived_ == error_beat, last, data);
    ++arrived_;
  }

  Clocked<Vfetch_default> dut_;
  uint64_t requested_ = 0;
  uint64_t arrived_ = 0;
};

MemInsn one(MemoryType type) {
  MemInsn mem;
  mem.memory_type = type;
  mem.x_size = mem.y_size = 1;
  return mem;
}

std::vector<Instruction> someOfEach(int count) {
  std::vector<Instruction> program;
  for (int i = 0; i < count; ++i) {
    switch (i % 5) {
      case 0:
        program.push_back(Instruction::load(one(MemoryType::kInp)));
        break;
      case 1:
        program.push_back(Instruction::load(one(MemoryType::kUop)));
        break;
      case 2:
        program.push_back(Instruction::gemm({}));
        break;
      case 3:
        program.push_back(Instruction::store(one(MemoryType::kOut)));
        break;
      default:
        program.push_back(Instruction::load(one(MemoryType::kWgt)));
        break;
    }
  }
  return program;
}

constexpr std::array<int, 5> kUnitOf = {0, 1, 1, 2, 0};
constexpr auto kAlways = [](int, uint64_t) { return true; };

TEST(FetchBlock, DispatchesInOrderToUnits) {
  Fetch fetch(someOfEach(100));
  Rng rng(3);
  fetch.run([&](int, uint64_t) { return uniform(rng, 0, 2) == 0; });
  ASSERT_EQ(fetch.dispatches.size(), 100u);
  for (size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(fetch.dispatches[i].number, i);
    EXPECT_EQ(fetch.dispatches[i].unit, kUnitOf[i % 5]);
  }
  EXPECT_EQ(fetch.fault, 0u);
}

// Two beats an instruction: granted in 2, accepted in 3, the beats in 3 + latency and 4 + latency,
// popped a cycle later, decoded and dispatched in the two after that; then one instruction every
// two cycles as long as bursts follow each other.
TEST(FetchBlock, TakesTheContractsCycles) {
  Fetch fetch(someOfEach(40));
  fetch.run(kAlways);
  ASSERT_EQ(fetch.dispatches.size(), 40u);
  for (size_t i = 0; i < 8; ++i) EXPECT_EQ(fetch.dispatches[i].cycle, kLatency + 7 + 2 * i) << i;
}

TEST(FetchBlock, EndsAtFinish) {
  std::vector<Instruction> program = someOfEach(7);
  program.push_back(Instruction::finish());
  for (const Instruction& insn : someOfEach(60)) program.push_back(insn);
  Fetch fetch(program);
  fetch.run(kAlways);
  EXPECT_EQ(fetch.dispatches.size(), 8u);
  EXPECT_EQ(fetch.fault, 0u);
}

TEST(FetchBlock, HoldsBackWhatIsIllegalOrBroken) {
  for (const bool broken : {false, true}) {
    Fetch fetch(someOfEach(20));
    if (broken) {
      fetch.error_beat = 2 * 11 + 1;
    } else {
      fetch.stream[11 * 16] |= std::byte{7};
    }
    fetch.run(kAlways);
    EXPECT_EQ(fetch.dispatches.size(), 11u);
    const auto code = broken ? reg::FaultCode::kBusError : reg::FaultCode::kIllegalInstruction;
    EXPECT_EQ(fetch.fault, uint64_t{1} << 36 | uint64_t(code) << 32 | 11);
  }
}

TEST(FetchBlock, EmptyStreamEndsAtOnce) {
  Fetch fetch({});
  fetch.run(kAlways);
  EXPECT_TRUE(fetch.dispatches.empty());
}

}  // namespace
}  // namespace vta::hw::test
