// The clock that reports measure with.
#pragma once

#include <chrono>

namespace vta {

using Clock = std::chrono::steady_clock;

inline double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace vta
