// Accumulators that may have fewer bits in ACC than in DRAM (docs/isa.md, "Narrow accumulators").
#pragma once

#include <cstdint>

namespace vta {

/// Bits of an accumulator in DRAM, and the most that it may have in ACC.
inline constexpr int kAccDramBits = 32;
inline constexpr int kLeastAccBits = 24;

/// What an accumulator of `width_bits` bits holds when `value` is written: its low bits, signed.
constexpr int32_t wrapAccumulator(int32_t value, int width_bits) {
  const int unused_bits = kAccDramBits - width_bits;
  return static_cast<int32_t>(static_cast<uint32_t>(value) << unused_bits) >> unused_bits;
}

/// The values that it can have.
struct AccumulatorRange {
  int32_t least = INT32_MIN;
  int32_t most = INT32_MAX;
};
constexpr AccumulatorRange accumulatorRange(int width_bits) {
  const int unused_bits = kAccDramBits - width_bits;
  return {INT32_MIN >> unused_bits, INT32_MAX >> unused_bits};
}

}  // namespace vta
