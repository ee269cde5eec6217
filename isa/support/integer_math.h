// Integer arithmetic that the language leaves out.
#pragma once

#include <cstdint>

namespace vta {

/// `a` / `b` rounded towards plus infinity; `a` not negative, `b` positive.
constexpr int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// The smallest multiple of `multiple` that is not below `value`; both far from overflow.
constexpr uint64_t roundUp(uint64_t value, uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace vta
