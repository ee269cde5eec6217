// What a compute instruction touches (docs/timing.md, "Scan").
#pragma once

#include <cstdint>
#include <vector>

#include "isa/config/hw_config.h"
#include "isa/instruction/instruction.h"
#include "sim/cycle/compute/loop_engine.h"

namespace vta::sim::cycle {

enum class Engine : uint8_t { kNone, kLoad, kGemm, kAlu };

/// An inclusive range of elements; empty unless `used`.
struct ElementRange {
  bool used = false;
  uint64_t low = 0;
  uint64_t high = 0;

  bool meets(const ElementRange& other) const {
    return used && other.used && low <= other.high && other.low <= high;
  }
};

/// What the scan of an instruction finds, which its issue depends on.
struct ScanResult {
  Engine engine = Engine::kNone;
  bool loads_uops = false;
  bool out_of_bounds = false;
  uint64_t scan_cycles = 1;
  bool walks = false;
  ElementRange acc;
  ElementRange uops;
  LoopNest nest;  // of GEMM and ALU
};

/// How long the scan of `insn` takes and whether it reads micro-ops; nothing else is filled in.
ScanResult beginScan(const Instruction& insn, const HwConfig& hw);

/// Fills in the rest, with the micro-ops as they are in `uops`.
void finishScan(const Instruction& insn, const HwConfig& hw, const std::vector<Uop>& uops,
                ScanResult& scan);

}  // namespace vta::sim::cycle
