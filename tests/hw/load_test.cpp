// The load unit with its read DMA: contents of every write, and the cycles that docs/timing.md
// gives.
#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <optional>
#include <vector>

#include "Vload_every_kind.h"
#include "isa/instruction/encoding.h"
#include "isa/spec/timing.h"
#include "tests/hw/bundles.h"
#include "tests/hw/clocked.h"
#include "tests/hw/read_memory.h"
#include "tests/hw/transfer_flags.h"

namespace vta::hw::test {
namespace {

constexpr uint64_t kLatency = 16;
constexpr int kAddrBits = 32;
constexpr uint32_t kInpBase = 0x10000;
constexpr uint32_t kWgtBase = 0x80000;
constexpr uint32_t kOutBase = 0x200000;  // OUT holds what memory has from here on
constexpr uint32_t kOutBytes = 16;       // of an element

struct Write {
  bool is_inp;
  uint32_t addr;
  std::vector<uint8_t> data;
  uint64_t cycle;
};

class LoadUnit {
 public:
  LoadUnit() : memory_(kLatency) {
    dut_->clear_i = 0;
    dut_->halt_i = 0;
    dut_->inp_base_i = kInpBase;
    dut_->wgt_base_i = kWgtBase;
    dut_->next_avail_i = 1;
  }

  /// One instruction after the other, as fast as they are taken; until all have retired or a fault.
  void run(const std::vector<Instruction>& program) {
    size_t next = 0;
    size_t retired = 0;
    for (int guard = 0; guard < 200000 && retired < program.size() && !fault; ++guard) {
      const uint64_t t = dut_.cycle();
      dut_->cmd_valid_i = next < program.size();
      if (next < program.size()) setCommand(program[next], static_cast<uint32_t>(next));
      const ReadMemory::Beat* beat = memory_.take(t);
      const bool last = beat != nullptr && beat->last;
      const bool error = beat != nullptr && beat->error;
      setReadBeat(dut_->beat_i, beat != nullptr, error, last, beat != nullptr ? beat->data : 0);
      dut_->grant_i = 0;
      dut_.settle();
      if (const BurstBundle burst = burstOf(dut_->burst_o, kAddrBits); burst.valid) {
        dut_->grant_i = 1;
        memory_.grant(t, burst.addr, burst.beats);
        dut_.settle();
      }
      record(t);
      const bool reads_out = dut_->out_re_o != 0;
      const uint32_t out = dut_->out_raddr_o;
      if (reads_out) out_reads.push_back(t);
      if (dut_->cmd_pop_o != 0) {
        starts.push_back(t);
        ++next;
      }
      if (dut_->retire_valid_o != 0) {
        retires.push_back(t);
        pushes.push_back(dut_->push_next_o != 0);
        ++retired;
      }
      if (beat != nullptr) ++beats;
      bytes += dut_->read_bytes_o;
      if ((dut_->fault_o >> 36 & 1) != 0) fault = static_cast<uint32_t>(dut_->fault_o);
      dut_.edge();
      if (reads_out) setOut(out);
    }
    dut_.settle();
    record(dut_.cycle());  // a write is in the cycle behind its operation
  }

  std::vector<Write> writes;
  std::vector<uint64_t> out_reads;
  std::vector<uint64_t> starts;
  std::vector<uint64_t> retires;
  std::vector<bool> pushes;
  std::optional<uint32_t> fault;
  uint64_t beats = 0;
  uint64_t bytes = 0;
  ReadMemory& memory() { return memory_; }

 private:
  void setCommand(const Instruction& insn, uint32_t number) {
    std::vector<std::byte> code;
    ASSERT_TRUE(encodeInstruction(insn, hw_, code).ok());
    std::memcpy(&dut_->cmd_i.at(0), code.data(), 16);
    dut_->cmd_i.at(4) = number;
    dut_->cmd_i.at(5) = transferFlags(Opcode::kLoad, insn.mem(), hw_);
  }

  // Stays until the next read.
  void setOut(uint32_t element) {
    std::array<uint8_t, kOutBytes> data;
    for (uint32_t i = 0; i < kOutBytes; ++i) data[i] = byteAt(kOutBase + element * kOutBytes + i);
    std::memcpy(&dut_->out_rdata_i.at(0), data.data(), data.size());
  }

  void record(uint64_t t) {
    ASSERT_FALSE(dut_->inp_we_o && dut_->wgt_we_o);
    if (dut_->inp_we_o != 0) {
      std::vector<uint8_t> data(16);
      std::memcpy(data.data(), &dut_->inp_wdata_o.at(0), data.size());
      writes.push_back({true, dut_->inp_waddr_o, data, t});
    }
    if (dut_->wgt_we_o != 0) {
      std::vector<uint8_t> data(256);
      std::memcpy(data.data(), &dut_->wgt_wdata_o.at(0), data.size());
      writes.push_back({false, dut_->wgt_waddr_o, data, t});
    }
  }

  // The default configuration but for the extensions.
  HwConfig hw_ = *loadHwConfig(VTA_SOURCE_DIR "/tests/hw/configs/loads-1x16x16.yaml");
  Clocked<Vload_every_kind> dut_;
  ReadMemory memory_;
};

/// What the writes of `mem` hold, in order.
std::vector<Write> expectedWrites(const MemInsn& mem) {
  std::vector<Write> writes;
  if (mem.x_size == 0) return writes;
  const bool is_handover = mem.memory_type == MemoryType::kInpFromOut;
  const bool is_inp = mem.memory_type == MemoryType::kInp || is_handover;
  const bool is_turned = mem.memory_type == MemoryType::kWgtTransposed;
  const uint32_t size = is_inp ? 16 : 256;
  const uint64_t base = is_handover ? kOutBase : is_inp ? kInpBase : kWgtBase;
  const std::vector<uint8_t> pad(size, mem.pad_kind == PadKind::kMin ? 0x80 : 0);
  uint32_t at = mem.sram_base;
  const uint32_t width = mem.x_pad_0 + mem.x_size + mem.x_pad_1;
  for (uint32_t y = 0; y < mem.y_pad_0 + mem.y_size + mem.y_pad_1; ++y) {
    for (uint32_t x = 0; x < width; ++x, ++at) {
      const bool data = y >= mem.y_pad_0 && y < mem.y_pad_0 + mem.y_size && x >= mem.x_pad_0 &&
                        x < mem.x_pad_0 + mem.x_size;
      Write write = {is_inp, at, pad, 0};
      if (data) {
        const uint64_t element =
            mem.dram_base + uint64_t{y - mem.y_pad_0} * mem.x_stride + (x - mem.x_pad_0);
        for (uint32_t i = 0; i < size; ++i) {
          const uint32_t from = is_turned ? i % 16 * 16 + i / 16 : i;
          write.data[i] = byteAt(base + element * size + from);
        }
      }
      writes.push_back(write);
    }
  }
  return writes;
}

TEST(Load, WritesWhatTheInstructionSays) {
  Rng rng(7);
  std::vector<Instruction> program;
  std::vector<Write> expected;
  std::vector<bool> pushes;
  for (int i = 0; i < 100; ++i) {
    MemInsn mem;
    constexpr MemoryType kTypes[] = {MemoryType::kInp, MemoryType::kWgt, MemoryType::kWgtTransposed,
                                     MemoryType::kInpFromOut};
    mem.memory_type = kTypes[uniform(rng, 0, 3)];
    mem.pad_kind = uniform(rng, 0, 1) != 0 ? PadKind::kMin : PadKind::kZero;
    mem.sram_base = uniform(rng, 0, 500);
    mem.dram_base = uniform(rng, 0, 600);
    mem.x_size = uniform(rng, 0, 9);
    mem.y_size = uniform(rng, 0, 4);
    mem.x_stride = uniform(rng, 0, 40);
    if (uniform(rng, 0, 1) != 0) {
      mem.y_pad_0 = uniform(rng, 0, 3);
      mem.y_pad_1 = uniform(rng, 0, 3);
      mem.x_pad_0 = uniform(rng, 0, 3);
      mem.x_pad_1 = uniform(rng, 0, 3);
    }
    pushes.push_back(uniform(rng, 0, 1) != 0);
    program.push_back(Instruction::load(mem, {.push_next = pushes.back()}));
    for (const Write& write : expectedWrites(mem)) expected.push_back(write);
  }
  LoadUnit unit;
  unit.run(program);
  ASSERT_FALSE(unit.fault);
  ASSERT_EQ(unit.retires.size(), program.size());
  EXPECT_EQ(unit.pushes, pushes);
  ASSERT_EQ(unit.writes.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(unit.writes[i].is_inp, expected[i].is_inp) << i;
    ASSERT_EQ(unit.writes[i].addr, expected[i].addr) << i;
    ASSERT_EQ(unit.writes[i].data, expected[i].data) << i;
  }
}

MemInsn inpRow(uint32_t elements) {
  MemInsn mem;
  mem.memory_type = MemoryType::kInp;
  mem.x_size = elements;
  mem.y_size = 1;
  mem.x_stride = elements;
  return mem;
}

// One element: started in s, its burst granted in s + 3, accepted in s + 4, two beats from there +
// latency on; the second is popped a cycle after it arrived and written one later, where the load
// retires.
TEST(Load, OneElementTakesTheContractsCycles) {
  LoadUnit unit;
  unit.run({Instruction::load(inpRow(1))});
  ASSERT_EQ(unit.retires.size(), 1u);
  EXPECT_EQ(unit.retires[0], unit.starts[0] + timing::kBurstLatency + 1 + kLatency + 1 + 1 + 1);
}

TEST(Load, WithoutDataOneOperationLater) {
  LoadUnit unit;
  unit.run({Instruction::load(inpRow(0)), Instruction::load(inpRow(0))});
  ASSERT_EQ(unit.retires.size(), 2u);
  EXPECT_EQ(unit.retires[0], unit.starts[0] + 2);
  EXPECT_EQ(unit.starts[1], unit.starts[0] + 1);
  EXPECT_EQ(unit.retires[1], unit.retires[0] + 1);
}

double busUse(const MemInsn& mem) {
  LoadUnit unit;
  unit.run(std::vector<Instruction>(10, Instruction::load(mem)));
  EXPECT_EQ(unit.beats, uint64_t{10} * mem.x_size * mem.y_size * 2);
  EXPECT_EQ(unit.bytes, unit.beats * 8);
  return static_cast<double>(unit.beats) /
         static_cast<double>(unit.retires.back() - unit.starts.front());
}

// Rows shorter than the memory's latency, of several instructions: a beat in nearly every cycle.
TEST(Load, StreamsAtBusRate) {
  MemInsn mem = inpRow(14);
  mem.y_size = 14;
  mem.x_stride = 56;
  EXPECT_GE(busUse(mem), 0.99);
  // Padding beside the rows fits between their elements.
  mem.x_pad_0 = mem.x_pad_1 = 1;
  EXPECT_GE(busUse(mem), 0.95);
}

MemInsn handover(uint32_t elements) {
  MemInsn mem = inpRow(elements);
  mem.memory_type = MemoryType::kInpFromOut;
  return mem;
}

// Element k of hand-overs is read in r(k) = max(s + 2, r(k-1) + 1, cycle in which element k-1 was
// written) and written in the next cycle or later. The read channel sees none of it.
TEST(Load, HandoversTakeTheContractsCycles) {
  LoadUnit unit;
  MemInsn padded = handover(20);
  padded.x_pad_0 = 5;
  MemInsn rows = handover(3);
  rows.y_size = 2;
  rows.x_pad_1 = 2;
  unit.run({Instruction::load(handover(1)), Instruction::load(padded), Instruction::load(rows)});
  ASSERT_EQ(unit.retires.size(), 3u);
  ASSERT_EQ(unit.out_reads.size(), 27u);
  EXPECT_EQ(unit.out_reads[0], unit.starts[0] + timing::kDmaStartLatency);
  EXPECT_EQ(unit.retires[0], unit.out_reads[0] + 1);
  // Five elements of padding are written while the first of the next row waits.
  EXPECT_EQ(unit.out_reads[1], unit.retires[0]);
  EXPECT_EQ(unit.out_reads[2], unit.retires[0] + 6);
  EXPECT_EQ(unit.retires[1], unit.retires[0] + 25);
  // Three elements and two of padding, twice, without a gap between the transfers.
  EXPECT_EQ(unit.retires[2], unit.retires[1] + 10);
  EXPECT_EQ(unit.beats, 0u);
  EXPECT_EQ(unit.bytes, 0u);
}

// A hand-over waits for nothing but its turn: it is written right behind the data of the load in
// front of it, whose first element is long in coming.
TEST(Load, HandoversKeepTheirPlaceBehindLoads) {
  LoadUnit unit;
  unit.run(
      {Instruction::load(inpRow(4)), Instruction::load(handover(6)), Instruction::load(inpRow(2))});
  ASSERT_EQ(unit.retires.size(), 3u);
  EXPECT_EQ(unit.out_reads[0], unit.starts[1] + timing::kDmaStartLatency);
  EXPECT_EQ(unit.out_reads[1], unit.retires[0] + 1);
  EXPECT_EQ(unit.retires[1], unit.retires[0] + 6);
  EXPECT_EQ(unit.beats, 12u);
  EXPECT_EQ(unit.bytes, 6u * 16);
}

TEST(Load, FaultsHaveTheInstructionsNumber) {
  {
    LoadUnit unit;  // 2048 elements of OUT: one too many
    MemInsn mem = handover(2);
    mem.dram_base = 2047;
    unit.run({Instruction::load(handover(2)), Instruction::load(mem)});
    EXPECT_EQ(unit.fault, 1u);
  }
  {
    LoadUnit unit;  // 2048 elements: one too many
    MemInsn mem = inpRow(1);
    mem.sram_base = 2047;
    mem.x_pad_1 = 1;
    unit.run({Instruction::load(inpRow(3)), Instruction::load(mem)});
    EXPECT_EQ(unit.fault, 1u);
  }
  {
    LoadUnit unit;
    unit.memory().setBadAddress(kInpBase + 0x1008);
    MemInsn bad = inpRow(4);
    bad.dram_base = 0x100;
    unit.run({Instruction::load(inpRow(8)), Instruction::load(bad), Instruction::load(inpRow(8))});
    EXPECT_EQ(unit.fault, 1u);
  }
  {
    LoadUnit unit;
    MemInsn far = inpRow(1);
    far.dram_base = 0xffffffff;
    unit.run({Instruction::load(far)});
    EXPECT_EQ(unit.fault, 0u);
  }
}

}  // namespace
}  // namespace vta::hw::test
