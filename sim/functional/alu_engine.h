// Executes ALU instructions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "isa/config/hw_config.h"
#include "isa/instruction/instruction.h"
#include "sim/common/violation.h"
#include "sim/functional/kernels/kernels.h"
#include "sim/functional/scratchpads.h"

namespace vta::sim {

/// Iterations are sequential: what one writes, later ones read. Runs of consecutive elements go to
/// the kernels at once where source and destination do not partly overlap.
class AluEngine {
 public:
  /// `kernels` and `pads` must outlive the engine.
  AluEngine(const HwConfig& hw, const Kernels& kernels, Scratchpads& pads);

  /// Which index is past its SRAM.
  std::optional<Violation> check(const AluInsn& insn) const;

  /// Computes. Only when `check` finds nothing.
  void execute(const AluInsn& insn);

 private:
  struct Run {
    uint32_t dst = 0;
    uint32_t src = 0;
    uint32_t length = 0;  ///< elements, consecutive in dst and, where read, in src
  };

  std::span<const Uop> uopsOf(const AluInsn& insn) const;
  void buildRuns(std::span<const Uop> uops, bool reads_source, bool reads_pair);
  void executeRun(const Run& run, bool reads_source, AluCall call);
  void executeLanes(const AluCall& call);
  void executePair(const Run& run, AluCall call);
  void writeTable(const Run& run, int32_t imm);
  void readTable(const Run& run);

  HwConfig hw_;
  const Kernels& kernels_;
  Scratchpads& pads_;
  const UserOperation* user_operation_ = nullptr;  // of the instruction that executes; else null
  std::vector<Run> runs_;                          // of one pass over the micro-ops
  std::vector<int32_t> pair_;                      // a copy of operands that are written
};

}  // namespace vta::sim
