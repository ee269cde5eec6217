// Executes single instructions on scratchpads and memory, without queues or tokens.
#pragma once

#include <cstdint>
#include <optional>

#include "isa/config/hw_config.h"
#include "isa/instruction/instruction.h"
#include "sim/common/dram.h"
#include "sim/common/legality.h"
#include "sim/common/violation.h"
#include "sim/functional/alu_engine.h"
#include "sim/functional/dma_engine.h"
#include "sim/functional/gemm_engine.h"
#include "sim/functional/kernels/kernels.h"
#include "sim/functional/scratchpads.h"

namespace vta::sim {

/// What one unit did.
struct UnitActivity {
  uint64_t instructions = 0;  ///< that it executed
  uint64_t read_bytes = 0;    ///< of DRAM
  uint64_t write_bytes = 0;   ///< of DRAM
};

/// What a run did. Counts are those of the ISA, not of this implementation.
struct Activity {
  UnitActivity fetch;      ///< its bytes are those of the instructions
  UnitActivity load;       ///< of its unit
  UnitActivity compute;    ///< of its unit
  UnitActivity store;      ///< of its unit
  uint64_t gemm_uops = 0;  ///< resets included
  uint64_t alu_uops = 0;   ///< executions of a micro-op by the ALU

  /// The activity of one unit.
  UnitActivity& of(Unit unit) {
    return unit == Unit::kLoad ? load : unit == Unit::kStore ? store : compute;
  }
};

/// Executes instructions one at a time, whatever their order. Used by one thread at a time.
class InstructionExecutor {
 public:
  /// Scratchpads start as zeros.
  explicit InstructionExecutor(const HwConfig& hw);

  /// Which bound of SRAM or memory `insn`, which checkLegality accepts, would leave.
  std::optional<Violation> check(const Instruction& insn, const BaseAddresses& bases,
                                 const Dram& dram);

  /// Executes `insn` and adds to `activity`. Only when `check` finds nothing.
  void execute(const Instruction& insn, const BaseAddresses& bases, Dram& dram, Activity& activity);

  /// The scratchpads as the last instruction left them.
  Scratchpads& pads() { return pads_; }
  /// The same to read.
  const Scratchpads& pads() const { return pads_; }
  /// The instruction set of this machine that the kernels use: "AVX3_DL", ..., "scalar".
  const char* target() const { return kernels_.target; }

 private:
  HwConfig hw_;
  const Kernels& kernels_;
  Scratchpads pads_;
  DmaEngine dma_;
  GemmEngine gemm_;
  AluEngine alu_;
};

}  // namespace vta::sim
