// Where the data of a LOAD or STORE lies in device memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "sim/common/dram.h"
#include "sim/cycle/common/bursts.h"
#include "sim/functional/dma_engine.h"

namespace vta::sim::cycle {

/// No rows when the transfer has no data, or none in device memory.
inline Rows rowsOf(const MemInsn& mem, const BaseAddresses& bases, const HwConfig& hw) {
  if (mem.x_size == 0 || mem.y_size == 0 || isOnChip(mem.memory_type)) return {};
  const uint64_t elem_bytes = hw.elemBytes(mem.memory_type);
  return {rowAddress(mem, 0, bases, hw), mem.x_size * elem_bytes, mem.x_stride * elem_bytes,
          mem.y_size};
}

/// True when a row is not inside one allocated buffer.
inline bool leavesBuffers(const Rows& rows, const Dram& dram) {
  std::optional<DramRange> range;
  for (uint32_t y = 0; y < rows.rows; ++y) {
    const uint64_t address = rows.address + y * rows.stride_bytes;
    if (range && range->contains(address, rows.row_bytes)) continue;
    range = dram.findRange(address);
    if (!range || !range->contains(address, rows.row_bytes)) return true;
  }
  return false;
}

/// True when a read of the aligned beat at `address` is answered with an error: none of its bytes
/// is in a buffer.
inline bool beatIsOutside(uint64_t address, int log_beat_bytes, const Dram& dram) {
  for (uint64_t i = 0; i < uint64_t{1} << log_beat_bytes; ++i) {
    if (dram.findRange(address + i)) return false;
  }
  return true;
}

/// True when a write of what `burst` has of the row of `row_bytes` bytes at `row` is answered with
/// an error: one of the bytes is in no buffer.
inline bool writeLeavesBuffers(const Burst& burst, uint64_t row, uint64_t row_bytes,
                               int log_beat_bytes, const Dram& dram) {
  const uint64_t burst_end = burst.address + (uint64_t{burst.beats} << log_beat_bytes);
  const uint64_t end = std::min(burst_end, row + row_bytes);
  for (uint64_t at = std::max(burst.address, row); at < end;) {
    const std::optional<DramRange> range = dram.findRange(at);
    if (!range) return true;
    at = range->end;
  }
  return false;
}

}  // namespace vta::sim::cycle
