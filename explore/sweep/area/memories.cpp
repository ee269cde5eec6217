#include "explore/sweep/area/memories.h"

#include <algorithm>

#include "base/integer_math.h"
#include "isa/config/config_rules.h"
#include "isa/spec/lookup_table.h"
#include "isa/spec/memory_ports.h"

namespace vta::sweep {
namespace {

// Shallower memories become distributed RAM.
constexpr int64_t kLeastBlockRows = 65;
// vta_cmd_queue: what is kept of an instruction. Base and wide encoding.
constexpr int64_t kCommandBits = 180;
constexpr int64_t kWideCommandBits = 260;
constexpr int kQueues = 3;
// vta_read_dma keeps the beats of all bursts under way: one in vta_load, one in vta_compute.
constexpr int kReadDmas = 2;

// Width and depth of a block RAM of 36 Kb, from the widest; half of each is one of 18 Kb.
struct Shape {
  int64_t bits;
  int64_t rows;
};
constexpr Shape kShapes[] = {{72, 512}, {36, 1024}, {18, 2048}, {9, 4096},
                             {4, 8192}, {2, 16384}, {1, 32768}};

double blocksOf(const Shape& shape, int64_t bits, int64_t rows) {
  const int64_t whole = bits / shape.bits;
  const int64_t rest = bits % shape.bits;
  const double columns = static_cast<double>(whole) + (rest == 0                ? 0
                                                       : rest <= shape.bits / 2 ? 0.5
                                                                                : 1.0);
  return columns * static_cast<double>(ceilDiv(rows, shape.rows));
}

// To choose one of `blocks` words of `bits`, as Yosys builds it: four fit into a LUT for each bit.
double selectLuts(int64_t bits, int64_t blocks) {
  constexpr int64_t kLutsOfMore = 4;
  if (blocks == 1) return 0;
  return static_cast<double>(bits * (blocks <= 4 ? 1 : kLutsOfMore));
}

MemoryArea& operator+=(MemoryArea& sum, const MemoryArea& more) {
  sum.bram36 += more.bram36;
  sum.uram += more.uram;
  sum.lutram_luts += more.lutram_luts;
  sum.select_luts += more.select_luts;
  return sum;
}

MemoryArea times(int64_t count, const MemoryArea& one) {
  const auto times = static_cast<double>(count);
  return {times * one.bram36, times * one.uram, times * one.lutram_luts, times * one.select_luts};
}

MemoryArea laneMemory(const HwConfig& hw, MemoryType type, RamStyle style = RamStyle::kAuto) {
  const int64_t lanes = lanesOf(hw, type);
  return times(lanes, memoryArea(int64_t{8} * hw.elemBytes(type),
                                 std::max<int64_t>(2, hw.depthElems(type) / lanes), style));
}

MemoryArea distributed(int64_t bits, int64_t rows) {
  // RAM32M holds 6 bits of 32 words in 4 LUTs, RAM64M 3 bits of 64; deeper ones stand side by side.
  const int64_t cells = ceilDiv(bits, rows <= 32 ? int64_t{6} : int64_t{3});
  return {.lutram_luts = static_cast<double>(4 * cells * ceilDiv(rows, int64_t{64}))};
}

MemoryArea ultra(int64_t bits, int64_t rows) {
  return {.uram = static_cast<double>(ceilDiv(bits, int64_t{72}) * ceilDiv(rows, int64_t{4096}))};
}

}  // namespace

MemoryArea memoryArea(int64_t bits, int64_t rows, RamStyle style) {
  if (style == RamStyle::kUltra) return ultra(bits, rows);
  const bool is_shallow = style == RamStyle::kAuto && rows < kLeastBlockRows;
  if (is_shallow || style == RamStyle::kDistributed) return distributed(bits, rows);
  // Of equally many blocks those with the most rows, of which the fewest have to be chosen from.
  MemoryArea best;
  for (const Shape& shape : kShapes) {
    const double blocks = blocksOf(shape, bits, rows);
    if (best.bram36 != 0 && blocks > best.bram36) continue;
    best = {.bram36 = blocks, .select_luts = selectLuts(bits, ceilDiv(rows, shape.rows))};
  }
  return best;
}

MemoryArea memoriesOf(const HwConfig& hw) {
  MemoryArea sum = times(2, laneMemory(hw, MemoryType::kUop));  // for GEMM and for the ALU
  sum += laneMemory(hw, MemoryType::kInp, hw.params().inp_ram);
  sum += laneMemory(hw, MemoryType::kWgt, hw.params().wgt_ram);
  const int64_t banks = std::min<int64_t>(hw.params().acc_banks, hw.depthElems(MemoryType::kAcc));
  const int64_t rows = std::max<int64_t>(2, hw.depthElems(MemoryType::kAcc) / banks);
  const int64_t lanes = int64_t{hw.batch()} * hw.blockOut();
  const RamStyle acc_ram = hw.params().acc_ram;
  sum += times(banks, memoryArea(lanes * hw.params().acc_width_bits, rows, acc_ram));
  const int64_t out_copies = hw.params().ext_handover ? 2 : 1;  // one for each reader
  sum += times(banks * out_copies, memoryArea(lanes * hw.params().out_width_bits, rows, acc_ram));
  if (hw.params().ext_lut) {
    const int64_t passes = hw.params().alu_passes;
    sum += times(lanes / passes, memoryArea(hw.params().acc_width_bits, passes * kTableWords));
  }
  const HwParams& p = hw.params();
  sum += times(
      kReadDmas + memoryPorts(p).loadDmas() - 1,
      memoryArea(p.axi_data_width_bits, int64_t{p.axi_outstanding_bursts} * p.axi_max_burst_beats));
  const bool is_wide = hw.encoding() == Encoding::kWide;
  sum += times(kQueues, memoryArea(is_wide ? kWideCommandBits : kCommandBits,
                                   std::max(2, hw.params().command_queue_depth)));
  return sum;
}

}  // namespace vta::sweep
