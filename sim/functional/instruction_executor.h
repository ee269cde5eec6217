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
  uint64_t instructions = 0;
  uint64_t read_bytes = 0;
  uint64_t write_bytes = 0;
};

/// What a run did. Counts are those of the ISA, not of this implementation.
struct Activity {
  UnitActivity fetch;
  UnitActivity load;
  UnitActivity compute;
  UnitActivity store;
  uint64_t gemm_uops = 0;  // resets included
  uint64_t alu_uops = 0;

  UnitActivity& of(Unit unit) {
    return unit == Unit::kLoad ? load : unit == Unit::kStore ? store : compute;
  }
};

class InstructionExecutor {
 public:
  explicit InstructionExecutor(const HwConfig& hw);

  /// Which bound of SRAM or memory `insn`, which checkLegality accepts, would leave.
  std::optional<Violation> check(const Instruction& insn, const BaseAddresses& bases,
                                 const Dram& dram);

  /// Executes `insn` and adds to `activity`. Only when `check` finds nothing.
  void execute(const Instruction& insn, const BaseAddresses& bases, Dram& dram, Activity& activity);

  Scratchpads& pads() { return pads_; }
  const Scratchpads& pads() const { return pads_; }
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
