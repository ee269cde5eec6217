// The RTL's memories on an FPGA: how many block RAMs and LUTs they take.
#pragma once

#include "isa/config/hw_config.h"

namespace vta::sweep {

struct MemoryArea {
  double bram36 = 0;
  double uram = 0;         // UltraRAMs
  double lutram_luts = 0;  // of memories too shallow for a block RAM, and of those asked for
  double select_luts = 0;  // that choose one of several block RAMs of a memory's rows
};

/// A memory of `rows` words of `bits`: by the shapes of a 36 Kb block RAM and its halves, of an
/// UltraRAM of 4096 words of 72 bits, or of distributed RAM.
MemoryArea memoryArea(int64_t bits, int64_t rows, RamStyle style = RamStyle::kAuto);

/// All of the core's: scratchpads as the RTL splits them (lanes of a beat, banks of ACC and OUT,
/// two copies of UOP) and command queues.
MemoryArea memoriesOf(const HwConfig& hw);

}  // namespace vta::sweep
