// Arithmetic of the accelerator's ALU, for what is worked out when compiling.
#pragma once

#include <cstdint>

namespace vta::compiler {

/// value * multiplier / 2^shift to nearest, halves away from zero: the ALU's QMUL before it
/// saturates to 32 bits (docs/isa.md, Extensions). The product has to fit 63 bits.
inline int64_t qmul(int64_t value, int64_t multiplier, int shift) {
  const int64_t product = value * multiplier;
  if (shift == 0) return product;
  const int64_t half = int64_t{1} << (shift - 1);
  return product >= 0 ? (product + half) >> shift : -((-product + half) >> shift);
}

}  // namespace vta::compiler
