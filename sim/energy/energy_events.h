// What a program does that costs energy, counted from its instructions.
#pragma once

#include <cstdint>
#include <span>

#include "isa/config/hw_config.h"
#include "isa/instruction/instruction.h"

namespace vta::sim {

/// Bits that go into and out of one scratchpad.
struct SramTraffic {
  uint64_t read_bits = 0;   ///< of all reads
  uint64_t write_bits = 0;  ///< of all writes
};

/// What a run does that takes energy.
struct EnergyEvents {
  uint64_t dram_read_bytes = 0;   ///< instructions too
  uint64_t dram_write_bytes = 0;  ///< that STOREs write
  SramTraffic uop;                ///< micro-op memory
  SramTraffic inp;
  SramTraffic wgt;
  SramTraffic acc;              ///< with what the ALU reads and writes
  SramTraffic out;              ///< written with each result, read by STOREs and hand-overs
  uint64_t macs = 0;            ///< products with padding included
  uint64_t alu_adds = 0;        ///< lanes that add, compare or shift; a clip compares twice
  uint64_t alu_multiplies = 0;  ///< lanes that multiply
};

/// Independent of data and time. Each execution of a micro-op reads its operands from the
/// scratchpads anew, reads and writes ACC, and writes OUT; the scan reads each micro-op once more.
/// Bytes of a burst that nobody asked for do not count.
EnergyEvents countEnergyEvents(std::span<const Instruction> program, const HwConfig& hw);

}  // namespace vta::sim
