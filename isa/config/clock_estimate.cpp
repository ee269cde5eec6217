#include "isa/config/clock_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "isa/spec/clock_model.h"

namespace vta {
namespace {

double megahertz(const timing::Period& period, double log_lanes) {
  return 1000 / (period.base_ns + period.per_doubling_ns * log_lanes);
}

}  // namespace

std::vector<ClockEstimate> estimateClock(const HwParams& params) {
  // The nets that reach every lane of the accumulators are the ones that grow with the array.
  const double log_lanes = std::log2(params.batch * params.block_out);
  std::vector<ClockEstimate> estimates;
  for (const timing::DevicePeriods& device : timing::kDevicePeriods) {
    const double headline = megahertz(device.calibrated, log_lanes);
    // Both are lines, which cross below the smallest arrays that were estimated.
    estimates.push_back(
        {device.name, headline, std::min(headline, megahertz(device.full, log_lanes))});
  }
  return estimates;
}

std::string clockWarning(const HwParams& params) {
  return clockWarning(params.clock_mhz, estimateClock(params));
}

std::string clockWarning(int clock_mhz, std::span<const ClockEstimate> estimates) {
  std::string text;
  for (const ClockEstimate& estimate : estimates) {
    if (clock_mhz <= estimate.mhz) continue;
    text +=
        fmt::format("{}{:.0f} MHz on {}", text.empty() ? "" : ", ", estimate.mhz, estimate.device);
  }
  if (text.empty()) return text;
  return fmt::format("clock_mhz is {}, the core is estimated to reach {}", clock_mhz, text);
}

}  // namespace vta
