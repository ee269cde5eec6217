// Weights of fewer than 8 bits as they lie in DRAM and in WGT (docs/isa.md, "Narrow weights").
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace vta {

/// The values that a signed weight of `width_bits` bits can have.
struct WeightRange {
  int32_t least = -128;
  int32_t most = 127;
};
constexpr WeightRange weightRange(int width_bits) {
  const int32_t half = int32_t{1} << (width_bits - 1);
  return {-half, half - 1};
}

/// Bytes of `count` weights, which fill whole bytes.
constexpr size_t packedWeightBytes(size_t count, int width_bits) {
  return count * static_cast<size_t>(width_bits) / 8;
}

/// Weight i goes into the `width_bits` bits from bit i * width_bits on, where bit 0 is the lowest
/// of the first byte. `width_bits` is 2, 4 or 8; every weight is in weightRange, and they fill
/// whole bytes.
std::vector<int8_t> packWeights(std::span<const int8_t> weights, int width_bits);

/// The inverse: `count` weights, sign-extended. `packed` has packedWeightBytes of them.
void unpackWeights(const int8_t* packed, size_t count, int width_bits, int8_t* weights);

}  // namespace vta
