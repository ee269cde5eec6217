#include "explore/tune/measure/repeated_time.h"

#include <algorithm>

namespace vta::tune {
namespace {

constexpr double kOutlier = 1.5;

}  // namespace

RepeatedTime repeatedTime(std::vector<uint64_t> nanoseconds) {
  const auto runs = static_cast<int>(nanoseconds.size());
  std::ranges::sort(nanoseconds);
  RepeatedTime result;
  const double limit = kOutlier * static_cast<double>(nanoseconds.front());
  const auto last = std::ranges::find_if(
      nanoseconds, [&](uint64_t time) { return static_cast<double>(time) > limit; });
  result.outliers = static_cast<int>(nanoseconds.end() - last);
  nanoseconds.erase(last, nanoseconds.end());
  result.nanoseconds = nanoseconds[nanoseconds.size() / 2];
  result.is_steady = result.outliers * 2 <= runs;
  return result;
}

}  // namespace vta::tune
