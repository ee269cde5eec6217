#include "isa/config/clock_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

#include "isa/spec/clock_model.h"

namespace vta {
namespace {

// The longest path with a relaxed pipeline: a lane of the ALU rounds and shifts between two
// registers. From hw/synth/timing --top vta_alu on the default configuration with
// compute.pipeline relaxed.
struct RelaxedPeriod {
  std::string_view family;  // what the names of its devices begin with
  double calibrated_ns;
  double full_ns;
};
constexpr RelaxedPeriod kRelaxedPeriods[] = {{"xc7", 10.07, 13.5}, {"xczu", 4.45, 5.72}};

RelaxedPeriod leastPeriod(const HwParams& params, std::string_view device) {
  if (params.pipeline == Pipeline::kRelaxed) {
    for (const RelaxedPeriod& period : kRelaxedPeriods) {
      if (device.starts_with(period.family)) return period;
    }
  }
  return {};
}

double megahertz(const timing::Period& period, double log_lanes, double least_ns) {
  return 1000 / std::max(least_ns, period.base_ns + period.per_doubling_ns * log_lanes);
}

}  // namespace

std::vector<ClockEstimate> estimateClock(const HwParams& params) {
  // The nets that reach every lane of the accumulators are the ones that grow with the array.
  const double log_lanes = std::log2(params.batch * params.block_out);
  std::vector<ClockEstimate> estimates;
  for (const timing::DevicePeriods& device : timing::kDevicePeriods) {
    const RelaxedPeriod least = leastPeriod(params, device.name);
    const double empty = megahertz(device.calibrated, log_lanes, least.calibrated_ns);
    // Both are lines, which cross below the smallest arrays that were estimated.
    const double full = megahertz(device.full, log_lanes, least.full_ns);
    estimates.push_back({device.name, empty, std::min(empty, full)});
  }
  return estimates;
}

std::string clockWarning(const HwParams& params) {
  return clockWarning(params.clockMhz(), estimateClock(params));
}

std::string clockWarning(double clock_mhz, std::span<const ClockEstimate> estimates) {
  std::string text;
  for (const ClockEstimate& estimate : estimates) {
    if (clock_mhz <= estimate.mhz) continue;
    // Rounded down: "150, estimated to reach 150" would say nothing.
    text += fmt::format("{}{:.0f} MHz on {}", text.empty() ? "" : ", ", std::floor(estimate.mhz),
                        estimate.device);
  }
  if (text.empty()) return text;
  return fmt::format("clock_mhz is {}, the core is estimated to reach {}", clock_mhz, text);
}

}  // namespace vta
