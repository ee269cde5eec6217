// The store unit: what reaches memory, the AXI promises of its bursts, and the cycles that
// docs/timing.md gives.
#include <cstring>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "Vstore_default.h"
#include "Vstore_narrow.h"
#include "isa/instruction/encoding.h"
#include "tests/hw/bundles.h"
#include "tests/hw/clocked.h"
#include "tests/hw/ports.h"
#include "tests/hw/transfer_flags.h"

namespace vta::hw::test {
namespace {

constexpr uint32_t kBase = 0x10000;
constexpr uint64_t kLatency = 16;

uint8_t outByte(uint32_t element, uint32_t lane) {
  return static_cast<uint8_t>(element * 37 + lane * 11 + (element >> 5));
}

template <typename Model>
class StoreUnit {
 public:
  StoreUnit(const HwConfig& hw, bool random, uint32_t seed) : hw_(hw), random_(random), rng_(seed) {
    dut_->clear_i = 0;
    dut_->halt_i = 0;
    dut_->base_i = kBase;
    dut_->prev_avail_i = 1;
  }

  /// One instruction after the other until all have retired or a fault.
  void run(const std::vector<Instruction>& program) {
    size_t next = 0;
    for (int guard = 0; guard < 100000 && retires.size() < program.size() && !fault; ++guard) {
      const uint64_t t = dut_.cycle();
      dut_->cmd_valid_i = next < program.size();
      if (next < program.size()) setCommand(program[next], static_cast<uint32_t>(next));
      dut_->awready_i = !random_ || uniform(rng_, 0, 2) != 0;
      dut_->wready_i = !random_ || uniform(rng_, 0, 2) != 0;
      dut_->bvalid_i = !responses_.empty() && responses_.front().cycle <= t;
      dut_->berror_i = dut_->bvalid_i && responses_.front().error;
      if (dut_->bvalid_i) responses_.pop_front();
      dut_.settle();
      acceptBus(t);
      const bool read = dut_->out_re_o != 0;
      const uint32_t element = dut_->out_raddr_o;
      if (dut_->cmd_pop_o != 0) {
        starts.push_back(t);
        ++next;
      }
      if (dut_->retire_valid_o != 0) {
        EXPECT_EQ(dut_->retire_number_o, retires.size());
        retires.push_back(t);
      }
      if ((dut_->fault_o >> 36 & 1) != 0) fault = static_cast<uint32_t>(dut_->fault_o);
      bytes += dut_->write_bytes_o;
      dut_.edge();
      if (read) setElement(element);
    }
  }

  std::map<uint64_t, uint8_t> memory;
  std::vector<uint64_t> starts;
  std::vector<uint64_t> retires;
  std::optional<uint32_t> fault;
  uint64_t beats = 0;
  uint64_t bytes = 0;
  uint64_t bad_burst = ~uint64_t{0};  // the response of this burst is an error

 private:
  struct Burst {
    uint64_t addr;
    uint64_t beats;
  };
  struct Response {
    uint64_t cycle;
    bool error;
  };

  void setCommand(const Instruction& insn, uint32_t number) {
    std::vector<std::byte> code;
    ASSERT_TRUE(encodeInstruction(insn, hw_, code).ok());
    const auto* bytes_of_number = reinterpret_cast<const std::byte*>(&number);
    code.insert(code.end(), bytes_of_number, bytes_of_number + 4);
    code.push_back(std::byte(transferFlags(Opcode::kStore, insn.mem(), hw_)));
    setPort(dut_->cmd_i, code);
  }

  void setElement(uint32_t element) {
    std::vector<std::byte> data(hw_.elemBytes(MemoryType::kOut));
    for (uint32_t i = 0; i < data.size(); ++i) data[i] = std::byte{outByte(element, i)};
    setPort(dut_->out_rdata_i, data);
  }

  void acceptBus(uint64_t t) {
    const uint64_t beat_bytes = static_cast<uint64_t>(hw_.params().axi_data_width_bits) / 8;
    const AxiAddrBundle aw = axiAddrOf(dut_->aw_o, hw_.params().axi_addr_width_bits);
    const AxiDataBundle w = axiDataOf(dut_->w_o, hw_.params().axi_data_width_bits);
    if (aw.valid && dut_->awready_i) {
      const Burst burst = {aw.addr, aw.len + 1};
      EXPECT_LE(burst.addr % 4096 + burst.beats * beat_bytes, 4096u);
      EXPECT_LE(burst.beats, 16u);
      bursts_.push_back(burst);
    }
    if (w.valid && dut_->wready_i) {
      ++beats;
      std::vector<std::byte> data(beat_bytes);
      getPort(dut_->w_o, data);
      pending_.push_back({data, w.strb, w.last});
    }
    // Beats may come before their address.
    while (!bursts_.empty() && !pending_.empty()) {
      const Beat beat = pending_.front();
      pending_.pop_front();
      for (uint64_t i = 0; i < beat_bytes; ++i) {
        if ((beat.strobes >> i & 1) == 0) continue;
        memory[bursts_.front().addr + beat_ * beat_bytes + i] = static_cast<uint8_t>(beat.data[i]);
      }
      ++beat_;
      EXPECT_EQ(beat.last, beat_ == bursts_.front().beats);
      if (!beat.last) continue;
      beat_ = 0;
      bursts_.pop_front();
      responses_.push_back({t + kLatency, burst_++ == bad_burst});
    }
  }

  struct Beat {
    std::vector<std::byte> data;
    uint64_t strobes;
    bool last;
  };

  HwConfig hw_;
  bool random_;
  Rng rng_;
  Clocked<Model> dut_;
  std::deque<Burst> bursts_;
  std::deque<Beat> pending_;
  std::deque<Response> responses_;
  uint64_t beat_ = 0;
  uint64_t burst_ = 0;
};

MemInsn outBlock(uint32_t sram, uint32_t dram, uint32_t rows, uint32_t columns, uint32_t stride) {
  MemInsn mem;
  mem.memory_type = MemoryType::kOut;
  mem.sram_base = sram;
  mem.dram_base = dram;
  mem.y_size = rows;
  mem.x_size = columns;
  mem.x_stride = stride;
  return mem;
}

template <typename Model>
void storesRandomBlocks(const HwConfig& hw, bool random, uint32_t seed) {
  Rng rng(seed);
  const uint32_t size = hw.elemBytes(MemoryType::kOut);
  std::vector<Instruction> program;
  std::map<uint64_t, uint8_t> expected;
  uint64_t bytes = 0;
  for (int i = 0; i < 40; ++i) {
    const uint32_t columns = uniform(rng, 0, 12);
    const MemInsn mem = outBlock(uniform(rng, 0, 100), uniform(rng, 0, 2000), uniform(rng, 0, 5),
                                 columns, uniform(rng, 0, 30));
    program.push_back(Instruction::store(mem));
    for (uint32_t y = 0; y < mem.y_size; ++y) {
      for (uint32_t x = 0; x < mem.x_size; ++x) {
        const uint64_t at = kBase + (mem.dram_base + uint64_t{y} * mem.x_stride + x) * size;
        bytes += size;
        for (uint32_t lane = 0; lane < size; ++lane) {
          expected[at + lane] = outByte(mem.sram_base + y * mem.x_size + x, lane);
        }
      }
    }
  }
  StoreUnit<Model> unit(hw, random, seed);
  unit.run(program);
  EXPECT_FALSE(unit.fault);
  EXPECT_EQ(unit.retires.size(), program.size());
  EXPECT_EQ(unit.memory, expected);
  EXPECT_EQ(unit.bytes, bytes);
}

HwConfig narrowConfig() {
  return loadHwConfig(VTA_SOURCE_DIR "/tests/hw/configs/wide-1x32x4.yaml").value();
}

TEST(Store, RandomBlocksReachMemory) {
  for (const bool random : {false, true}) {
    storesRandomBlocks<Vstore_default>(HwConfig::makeDefault(), random, 1);
    storesRandomBlocks<Vstore_narrow>(narrowConfig(), random, 2);  // four elements in a beat
  }
}

// One element of two beats: granted in s + 3, loaded in s + 4 and s + 5, accepted in s + 5 and s +
// 6; its response comes a latency later, and the store retires in the cycle after.
TEST(Store, OneElementTakesTheContractsCycles) {
  StoreUnit<Vstore_default> unit(HwConfig::makeDefault(), false, 1);
  unit.run(
      {Instruction::store(outBlock(3, 5, 1, 1, 1)), Instruction::store(outBlock(0, 0, 0, 0, 0))});
  ASSERT_EQ(unit.retires.size(), 2u);
  EXPECT_EQ(unit.retires[0], unit.starts[0] + 6 + kLatency + 1);
  EXPECT_EQ(unit.retires[1], unit.retires[0] + 1);
}

TEST(Store, StreamsAtBusRate) {
  StoreUnit<Vstore_default> unit(HwConfig::makeDefault(), false, 1);
  unit.run(std::vector<Instruction>(20, Instruction::store(outBlock(0, 1, 14, 14, 56))));
  EXPECT_EQ(unit.beats, 20u * 14 * 14 * 2);
  const auto cycles = static_cast<double>(unit.retires.back() - unit.starts.front());
  EXPECT_GE(static_cast<double>(unit.beats) / cycles, 0.99);
}

TEST(Store, Faults) {
  {
    StoreUnit<Vstore_default> unit(HwConfig::makeDefault(), false, 1);
    unit.run({Instruction::store(outBlock(0, 0, 1, 4, 4)),
              Instruction::store(outBlock(2047, 64, 1, 2, 2))});
    EXPECT_EQ(unit.fault, 1u);
  }
  {
    StoreUnit<Vstore_default> unit(HwConfig::makeDefault(), false, 1);
    unit.bad_burst = 2;
    unit.run(std::vector<Instruction>(4, Instruction::store(outBlock(0, 0, 1, 8, 8))));
    EXPECT_EQ(unit.fault, 2u);
  }
}

}  // namespace
}  // namespace vta::hw::test
