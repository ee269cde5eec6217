// How wide the sums are of which integer means are made.
#pragma once

#include <bit>
#include <cstdint>

namespace vta::compiler {

/// The bits in which the mean of `count` integers of `bits` bits is computed: 32 if no sum leaves
/// them, or else 64.
constexpr unsigned bitsOfMean(unsigned bits, int64_t count) {
  const auto last = static_cast<uint64_t>(count > 0 ? count - 1 : 0);
  return bits + static_cast<unsigned>(std::bit_width(last)) <= 32 ? 32 : 64;
}

}  // namespace vta::compiler
