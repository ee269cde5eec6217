// What rules and defaults of schedules share: how much fits in the registers, and how an extent is
// cut into pieces.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "compiler/codegen/llvm/cpu_traits.h"
#include "host_cpu/schedule/conv_spec.h"

namespace vta::codegen::blocked {

inline constexpr int64_t kElementBytes = 4;  // a float, or a word of four int8
// What every CPU with vectors has at least.
inline constexpr int64_t kSecondCacheBytesPerCycle = 24;
// Vector multiply-adds in the body of the innermost loop: beyond it code does not fit its cache.
inline constexpr int64_t kMostUnrolled = 1024;

/// Blocks of output channels that a tile may have. Odd ones are for layers of 48 or 144 channels.
inline constexpr int64_t kOutBlocks[] = {1, 2, 3, 4, 5, 6, 8};

inline int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Registers that one block takes.
inline int64_t registersPerBlock(const CpuTraits& traits) {
  return std::max<int64_t>(kBlock * kElementBytes / traits.vector_bytes, 1);
}

/// How many pixels' sums fit in the registers beside the weights and one broadcast input.
inline int64_t mostPixels(const CpuTraits& traits, int64_t out_blocks) {
  const int64_t block = registersPerBlock(traits);
  const int64_t free = static_cast<int64_t>(traits.vector_registers) - block * out_blocks - 1;
  return std::clamp<int64_t>(free / (block * out_blocks), 1, 28);
}

/// Whether a tile of so many blocks has registers for sums of more than one pixel.
inline bool hasRegistersFor(const CpuTraits& traits, int64_t out_blocks) {
  return out_blocks == 1 || registersPerBlock(traits) * out_blocks * 2 < traits.vector_registers;
}

/// The extent of equal pieces that cover `extent`, none longer than `limit`.
inline int64_t balancedTile(int64_t extent, int64_t limit) {
  return ceilDiv(extent, ceilDiv(extent, limit));
}

/// Extents of equal pieces of `extent`, up to `most`.
inline std::vector<int64_t> pieces(int64_t extent, int64_t most) {
  std::set<int64_t> found;
  for (int64_t count = 1; count <= extent; ++count) {
    const int64_t piece = ceilDiv(extent, count);
    if (piece <= most) found.insert(piece);
  }
  return {found.begin(), found.end()};
}

/// Powers of two below `extent`, and `extent`.
inline std::vector<int64_t> powersUpTo(int64_t extent) {
  std::vector<int64_t> values;
  for (int64_t value = 1; value < extent; value *= 2) values.push_back(value);
  values.push_back(extent);
  return values;
}

/// How well a tile of this many pixels and blocks keeps the multipliers busy: two multiply-adds and
/// two loads a cycle, and a sum can be added to every fourth cycle. `useful` is the share of its
/// pixels that no other tile computes; `weight_half_cycles` is what a register of weights takes
/// from where it lies.
inline double tileScore(int64_t pixels, int64_t out_blocks, double useful,
                        double weight_half_cycles, const CpuTraits& traits) {
  const auto inputs = static_cast<double>(pixels);
  const auto weights = static_cast<double>(out_blocks * registersPerBlock(traits));
  const double half_cycles =
      std::max({inputs * weights, inputs + weights, weight_half_cycles * weights, 8.0});
  const double loads = 0.05 * (inputs + weights);  // decides between equals
  return inputs * weights * useful / (half_cycles + loads);
}

}  // namespace vta::codegen::blocked
