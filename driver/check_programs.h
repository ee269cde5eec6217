// Small programs with known answers, for tests of hardware. Those for configurations with
// compat 0.0.2 stay inside what that hardware runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "isa/config/hw_config.h"
#include "isa/program/program.h"

namespace vta::driver {

/// Copies `count` elements of OUT's size from buffer 0 to buffer 1: compute loads them as ACC_8BIT
/// and store writes them. `count` is from 1 to 2^24. Works on every configuration without
/// compat 0.0.2, which has no ACC_8BIT.
Program copyProgram(const HwConfig& hw, uint32_t count);

/// Copies `count` elements of ACC's size, from 1 to as many as ACC has and 4096, and sorts their
/// bytes: behind the first bytes of all lanes come the second ones, and so on. Buffers: 0
/// micro-ops, 1 ACC, 2 OUT, with four times as many elements. Works on every configuration.
Program sortingCopyProgram(const HwConfig& hw, uint32_t count);
/// Whole 32-bit words in the order that sortingCopyProgram gives their bytes.
std::vector<std::byte> sortedBytes(std::span<const std::byte> bytes);

/// One of the two, with what it gives.
struct CopyCheck {
  Program program;
  size_t from = 0;  // its buffers
  size_t to = 0;
  bool sorts = false;

  /// What is in `to` when `bytes` are in `from`.
  std::vector<std::byte> answer(std::span<const std::byte> bytes) const;
};

/// Copies `count` elements, of OUT's size, or with compat 0.0.2 of ACC's size.
CopyCheck copyCheck(const HwConfig& hw, uint32_t count);

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
