// Integer arithmetic that the language leaves out.
#pragma once

#include <cstdint>

namespace vta {

/// `a` / `b` rounded towards plus infinity; `a` of either sign, `b` positive.
constexpr int64_t ceilDiv(int64_t a, int64_t b) { return a >= 0 ? (a + b - 1) / b : -(-a / b); }

/// `a` / `b` rounded towards minus infinity; `a` of either sign, `b` positive.
constexpr int64_t floorDiv(int64_t a, int64_t b) { return -ceilDiv(-a, b); }

/// The smallest multiple of `multiple` that is not below `value`; both far from overflow.
constexpr uint64_t roundUp(uint64_t value, uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace vta
