// What a compute instruction touches (docs/timing.md, "Scan").
#pragma once

#include <cstdint>
#include <vector>

#include "isa/config/hw_config.h"
#include "isa/instruction/instruction.h"
#include "sim/cycle/compute/loop_engine.h"

namespace vta::sim::cycle {

/// What executes an instruction of the compute unit; FINISH and what does nothing has none.
enum class Engine : uint8_t { kNone, kLoad, kGemm, kAlu };

/// An inclusive range of elements; empty unless `used`.
struct ElementRange {
  bool used = false;  ///< false: the instruction does not touch the memory
  uint64_t low = 0;   ///< first element
  uint64_t high = 0;  ///< last element, itself in the range

  /// Whether an element is in both.
  bool meets(const ElementRange& other) const {
    return used && other.used && low <= other.high && other.low <= high;
  }
};

/// What the scan of an instruction finds, which its issue depends on.
struct ScanResult {
  Engine engine = Engine::kNone;  ///< that the instruction is issued to
  bool loads_uops = false;        ///< it writes micro-op memory
  bool out_of_bounds = false;     ///< it is a fault: an index leaves a scratchpad
  uint64_t scan_cycles = 1;       ///< that the instruction stays in the scan
  bool walks = false;             ///< the scan reads its micro-ops, so that these have to be there
  ElementRange acc;               ///< elements of ACC that it reads or writes
  ElementRange uops;              ///< of micro-op memory that it reads or writes
  LoopNest nest;                  ///< of GEMM and ALU
};

/// How long the scan of `insn` takes and whether it reads micro-ops; nothing else is filled in.
ScanResult beginScan(const Instruction& insn, const HwConfig& hw);

/// Fills in the rest, with the micro-ops as they are in `uops`.
void finishScan(const Instruction& insn, const HwConfig& hw, const std::vector<Uop>& uops,
                ScanResult& scan);

}  // namespace vta::sim::cycle
