// Random legal programs: for the tests of every device, reproducible from their seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "isa/config/hw_config.h"
#include "isa/program/program.h"
#include "sim/random/rng.h"

namespace vta::sim {

struct RandomProgramOptions {
  uint32_t min_instructions = 8;  ///< besides the loads that fill the scratchpads, and FINISH
  uint32_t max_instructions = 40;
  uint32_t max_iterations = 600;  ///< of one GEMM or ALU instruction
  /// Fields take values around powers of two and up to their largest, on whole scratchpads.
  bool large_fields = false;

  /// Few instructions with large fields.
  static constexpr RandomProgramOptions largeFields() {
    return {.min_instructions = 6,
            .max_instructions = 14,
            .max_iterations = 50000,
            .large_fields = true};
  }
};

/// A program of all opcodes of `hw`, its extensions included, with padding, strides, factors,
/// accumulator hazards, overlapping transfers, memory that is stored and loaded again, and token
/// patterns that leave no race and cannot deadlock. It reads nothing that it has not written. It is
/// legal by verifyProgram, but may lie outside the subset of published 0.0.2 hardware.
Program randomProgram(const HwConfig& hw, Rng& rng, const RandomProgramOptions& options = {});

}  // namespace vta::sim
