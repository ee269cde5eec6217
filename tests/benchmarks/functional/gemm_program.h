// A hand-built program: C = clamp((A * B^T + bias) >> shift) on square int8 matrices.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/config/hw_config.h"
#include "isa/program/program.h"

namespace vta::bench {

/// Blocked over all three dimensions and double-buffered: loads of one reduction step run beside
/// the GEMM of the step before, stores of one tile beside the next tile. For the default
/// configuration; `size` is a multiple of 256. Buffers in order: uop, inp [K/16][M][16], wgt
/// [N/16][K/16][16][16], bias [N/16][16] int32, out [N/16][M][16].
Program gemmProgram(const HwConfig& hw, uint32_t size);

inline constexpr int kShift = 8;
inline constexpr int kLow = -100;
inline constexpr int kHigh = 100;

}  // namespace vta::bench
