// What became of repeated runs.
#pragma once

#include <cstdint>
#include <vector>

namespace vta::tune {

struct RepeatedTime {
  uint64_t nanoseconds = 0;  // the median of those that were not disturbed
  int outliers = 0;          // runs that took more than half as long again
  bool is_steady = true;     // most were not disturbed, and the processor kept its clock
};

/// Of runs that took so many nanoseconds each: one at least.
RepeatedTime repeatedTime(std::vector<uint64_t> nanoseconds);

}  // namespace vta::tune
