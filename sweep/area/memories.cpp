#include "sweep/area/memories.h"

#include <algorithm>

#include "base/integer_math.h"
#include "isa/config/config_rules.h"
#include "isa/spec/lookup_table.h"

namespace vta::sweep {
namespace {

// Shallower memories become distributed RAM.
constexpr int64_t kLeastBlockRows = 65;
// hw/vta_rtl/compute/vta_acc_memory.sv
// vta_cmd_queue: an instruction with what vta_bounds says of it. Base and wide encoding.
constexpr int64_t kCommandBits = 190;
constexpr int64_t kWideCommandBits = 260;
constexpr int kQueues = 3;

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

MemoryArea& operator+=(MemoryArea& sum, const MemoryArea& more) {
  sum.bram36 += more.bram36;
  sum.lutram_luts += more.lutram_luts;
  return sum;
}

MemoryArea times(int64_t count, const MemoryArea& one) {
  return {static_cast<double>(count) * one.bram36, static_cast<double>(count) * one.lutram_luts};
}

MemoryArea laneMemory(const HwConfig& hw, MemoryType type) {
  const int64_t lanes = lanesOf(hw, type);
  return times(lanes, memoryArea(int64_t{8} * hw.elemBytes(type),
                                 std::max<int64_t>(2, hw.depthElems(type) / lanes)));
}

}  // namespace

MemoryArea memoryArea(int64_t bits, int64_t rows) {
  if (rows < kLeastBlockRows) {
    // RAM32M holds 6 bits of 32 words in 4 LUTs, RAM64M 3 bits of 64.
    const int64_t cells = ceilDiv(bits, rows <= 32 ? int64_t{6} : int64_t{3});
    return {0, static_cast<double>(4 * cells)};
  }
  double best = blocksOf(kShapes[0], bits, rows);
  for (const Shape& shape : kShapes) best = std::min(best, blocksOf(shape, bits, rows));
  return {best, 0};
}

MemoryArea memoriesOf(const HwConfig& hw) {
  MemoryArea sum = times(2, laneMemory(hw, MemoryType::kUop));  // for GEMM and for the ALU
  sum += laneMemory(hw, MemoryType::kInp);
  sum += laneMemory(hw, MemoryType::kWgt);
  const int64_t banks = std::min<int64_t>(hw.params().acc_banks, hw.depthElems(MemoryType::kAcc));
  const int64_t rows = std::max<int64_t>(2, hw.depthElems(MemoryType::kAcc) / banks);
  const int64_t lanes = int64_t{hw.batch()} * hw.blockOut();
  sum += times(banks, memoryArea(lanes * hw.params().acc_width_bits, rows));
  sum += times(banks, memoryArea(lanes * hw.params().out_width_bits, rows));
  if (hw.params().ext_lut) {
    const int64_t passes = hw.params().alu_passes;
    sum += times(lanes / passes, memoryArea(hw.params().acc_width_bits, passes * kTableWords));
  }
  const bool is_wide = hw.encoding() == Encoding::kWide;
  sum += times(kQueues, memoryArea(is_wide ? kWideCommandBits : kCommandBits,
                                   std::max(2, hw.params().command_queue_depth)));
  return sum;
}

}  // namespace vta::sweep
