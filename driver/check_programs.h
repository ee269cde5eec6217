// Small programs with known answers, for tests of hardware.
#pragma once

#include <cstdint>

#include "isa/config/hw_config.h"
#include "program/program.h"

namespace vta::driver {

/// Copies `count` elements of OUT's size from buffer 0 to buffer 1: compute loads them as ACC_8BIT
/// and store writes them. Works on every configuration. `count` is from 1 to 2^24.
Program copyProgram(const HwConfig& hw, uint32_t count);

/// How much gemmProgram computes.
struct GemmSizes {
  uint32_t rows = 0;   // elements of ACC
  uint32_t depth = 0;  // products of tiles that are added for each
};
GemmSizes gemmSizes(const HwConfig& hw);

/// ACC[r] = sum over k of INP[r + k] * WGT[k]^T, with the sizes of gemmSizes. Buffers: 0 micro-ops,
/// 1 INP (rows + depth - 1 elements), 2 WGT (depth elements), 3 OUT (4 * rows elements: first the
/// low bytes of all ACC elements, then the next ones).
Program gemmProgram(const HwConfig& hw);

/// Clears all scratchpads. Buffers: 0 micro-ops, 1 zeros, kClearElems elements of the largest type,
/// which are loaded over and over.
inline constexpr uint32_t kClearElems = 64;
Program clearProgram(const HwConfig& hw);

/// Stores all of ACC, which it destroys with micro-op 0. Buffers: 0 micro-ops, 1 OUT, with four
/// times as many elements as ACC has: first the low bytes of all, then the next ones.
Program dumpProgram(const HwConfig& hw);

}  // namespace vta::driver
