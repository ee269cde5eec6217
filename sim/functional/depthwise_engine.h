// Executes depthwise GEMM instructions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "isa/config/hw_config.h"
#include "isa/instruction/instruction.h"
#include "sim/functional/scratchpads.h"

namespace vta::sim {

/// Works on the scratchpads in ISA layout. An output has two inputs for each tap: its own channel
/// and its neighbour's. Weights of taps that an instruction does not have are not used.
class DepthwiseEngine {
 public:
  /// `pads` must outlive the engine.
  DepthwiseEngine(const HwConfig& hw, Scratchpads& pads);

  /// Computes `insn`, whose micro-ops are `uops`. All indexes are in bounds.
  void execute(const GemmInsn& insn, std::span<const Uop> uops);

 private:
  // The weights of a tile as the sums use them: for each output those of its own channel, and those
  // of the other channel of its pair.
  struct TapWeights {
    std::vector<int32_t> own;
    std::vector<int32_t> other;
  };

  void readWeights(uint32_t wgt, uint32_t taps);
  void step(const GemmInsn& insn, uint32_t dst, uint32_t src);
  void addTap(const TapWeights& weights, const int8_t* inp, uint32_t first, uint32_t count);

  Scratchpads& pads_;
  uint32_t batch_;
  uint32_t block_in_;
  uint32_t block_out_;
  std::vector<TapWeights> weights_;  // by tap
  bool uses_other_ = false;          // a weight of another channel is not zero
  std::vector<int32_t> sums_;
};

}  // namespace vta::sim
