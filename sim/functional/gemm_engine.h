// Executes GEMM instructions: turns loop nest and micro-ops into rows and reduction steps for the
// kernels.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "isa/config/hw_config.h"
#include "isa/instruction/instruction.h"
#include "sim/common/violation.h"
#include "sim/functional/depthwise_engine.h"
#include "sim/functional/kernels/kernels.h"
#include "sim/functional/scratchpads.h"
#include "sim/functional/uop_plan.h"

namespace vta::sim {

/// A loop whose dst index stands still is part of the reduction, one whose wgt index stands still
/// adds rows that share weights, and any other one repeats the whole with shifted indexes.
class GemmEngine {
 public:
  /// `kernels` and `pads` must outlive the engine.
  GemmEngine(const HwConfig& hw, const Kernels& kernels, Scratchpads& pads);

  /// Which index is past its SRAM.
  std::optional<Violation> check(const GemmInsn& insn);

  /// Computes. Only when `check` finds nothing.
  void execute(const GemmInsn& insn);

 private:
  struct Loop {
    uint32_t count = 1;
    uint32_t dst = 0;
    uint32_t src = 0;
    uint32_t wgt = 0;
    bool operator==(const Loop&) const = default;
  };
  struct LoopNest {
    std::vector<Loop> reduction;
    std::vector<Loop> rows;
    Loop outer[2];
  };

  std::span<const Uop> uopsOf(const GemmInsn& insn) const;
  void classify(const GemmInsn& insn, size_t family_rows, size_t family_steps);
  void buildSteps(const UopFamily& family);
  void buildRows(const UopFamily& family);
  void appendRow(uint32_t dst, uint32_t src);
  void runFamily(const UopFamily::Base& base);
  void reset(const GemmInsn& insn, std::span<const Uop> uops);

  HwConfig hw_;
  const Kernels& kernels_;
  Scratchpads& pads_;
  uint32_t batch_;
  uint32_t block_in_;
  uint32_t block_out_;
  DepthwiseEngine depthwise_;
  UopPlanCache plans_;
  LoopNest nest_;  // of the current family
  // The tables and what they were built from: neighbouring families and instructions mostly differ
  // in their base only.
  std::vector<Loop> steps_loops_;
  std::vector<UopFamily::Step> steps_source_;
  std::vector<GemmStep> steps_;
  std::vector<Loop> rows_loops_;
  std::vector<UopFamily::Row> rows_source_;
  std::vector<GemmRow> rows_;
};

}  // namespace vta::sim
