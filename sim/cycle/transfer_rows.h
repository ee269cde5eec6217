// Where the data of a LOAD or STORE lies in device memory.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/cycle/bursts.h"
#include "sim/functional/dma_engine.h"
#include "sim/functional/dram.h"

namespace vta::sim::cycle {

/// No rows when the transfer has no data.
inline Rows rowsOf(const MemInsn& mem, const BaseAddresses& bases, const HwConfig& hw) {
  if (mem.x_size == 0 || mem.y_size == 0) return {};
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

/// True when the first byte of a beat of `burst` is in no buffer.
inline bool leavesBuffersAt(const Burst& burst, int log_beat_bytes, const Dram& dram) {
  for (uint32_t i = 0; i < burst.beats; ++i) {
    const uint64_t address = burst.address + (uint64_t{i} << log_beat_bytes);
    const std::optional<DramRange> range = dram.findRange(address);
    if (!range || !range->contains(address, 1)) return true;
  }
  return false;
}

}  // namespace vta::sim::cycle
