#include "explore/sweep/vivado/calibration.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>

#include "isa/config/clock_estimate.h"

namespace vta::sweep {
namespace {

// A ratio beyond that means that the report is of another design.
constexpr double kMostRatio = 5;
// Beyond that share of a device's LUTs, the estimate for a full device counts.
constexpr double kFilled = 0.5;

/// "7z020" of "7z020clg400-1", "xc7z020-clg400" and "xc7z020".
std::string partOf(std::string_view device) {
  if (device.starts_with("xc")) device.remove_prefix(2);
  // A family, digits, and for UltraScale+ two letters; then the package.
  size_t end = device.find('-');
  if (device.starts_with("7")) {
    end = 2;
    while (end < device.size() && std::isdigit(static_cast<unsigned char>(device[end])) != 0) ++end;
  }
  return std::string(device.substr(0, end));
}

/// "-1" of "7z020clg400-1" and "xczu3eg-sbva484-1-e".
std::string speedOf(const ImplementedDesign& design) {
  if (!design.timing->speed_grade.empty()) return design.timing->speed_grade;
  if (!design.utilization) return "";
  const std::string& device = design.utilization->device;
  for (size_t i = 0; i + 1 < device.size(); ++i) {
    if (device[i] != '-' || std::isdigit(static_cast<unsigned char>(device[i + 1])) == 0) continue;
    return device.substr(i, device.find('-', i + 1) - i);
  }
  return "";
}

/// How full the device is, by LUTs; full where nobody says.
bool isFilled(const ImplementedDesign& design) {
  if (!design.utilization) return true;
  for (const DeviceResources& device : knownDevices()) {
    if (partOf(device.name) != partOf(design.timing->device)) continue;
    return design.utilization->used.lut > kFilled * device.has.lut;
  }
  return true;
}

double geometricMean(const std::vector<double>& ratios) {
  double sum = 0;
  for (const double ratio : ratios) sum += std::log(ratio);
  return std::exp(sum / static_cast<double>(ratios.size()));
}

std::string remarkOf(std::string_view what, const std::vector<double>& ratios) {
  const auto [least, most] = std::ranges::minmax(ratios);
  return fmt::format("{}: {:.3f} of the estimate in {} report{} ({:.3f} to {:.3f})", what,
                     geometricMean(ratios), ratios.size(), ratios.size() == 1 ? "" : "s", least,
                     most);
}

Status checkRatio(std::string_view what, double found, double estimate) {
  if (found > 0 && found < kMostRatio * estimate && found > estimate / kMostRatio) return {};
  return invalidArgument(fmt::format(
      "the report has {:g} {}, the estimate for this configuration is {:.0f}: is it the "
      "report of another design?",
      found, what, estimate));
}

Status addAreaRatios(const ImplementedDesign& design, std::array<std::vector<double>, 4>& ratios) {
  if (!design.utilization) return {};
  const auto used = valuesOf(design.utilization->used);
  const auto estimate = valuesOf(estimateArea(design.hw));
  for (size_t i = 0; i < ratios.size(); ++i) {
    if (used[i] == 0 && estimate[i] == 0) continue;
    VTA_RETURN_IF_ERROR(checkRatio(resourceNames()[i], used[i], estimate[i]));
    ratios[i].push_back(used[i] / estimate[i]);
  }
  return {};
}

Status addClockRatio(const ImplementedDesign& design,
                     std::map<std::string, std::vector<double>>& ratios) {
  if (!design.timing) return {};
  const std::string part = partOf(design.timing->device) + speedOf(design);
  std::vector<std::string> known;
  for (const ClockEstimate& estimate : estimateClock(design.hw.params())) {
    known.emplace_back(estimate.device);
    const size_t dash = estimate.device.find('-');
    const std::string own =
        partOf(estimate.device.substr(0, dash)) + std::string(estimate.device.substr(dash));
    if (own != part) continue;
    const double mhz = isFilled(design) ? estimate.full_mhz : estimate.mhz;
    VTA_RETURN_IF_ERROR(checkRatio("MHz", design.timing->mhz(), mhz));
    ratios[known.back()].push_back(design.timing->mhz() / mhz);
    return {};
  }
  return invalidArgument(
      fmt::format("no clock estimate for device '{}' of speed grade '{}', so that its timing says "
                  "nothing here; known: {}",
                  design.timing->device, speedOf(design), fmt::join(known, ", ")));
}

}  // namespace

AreaEstimate Calibration::apply(const AreaEstimate& estimate) const {
  return {estimate.lut * area[0], estimate.ff * area[1], std::ceil(estimate.dsp * area[2]),
          std::ceil(2 * estimate.bram36 * area[3]) / 2, estimate.uram};
}

double Calibration::clockFactor(std::string_view device) const {
  const auto found = clock.find(std::string(device));
  return found == clock.end() ? 1 : found->second;
}

Result<Calibration> calibrate(const std::vector<ImplementedDesign>& designs) {
  std::array<std::vector<double>, 4> area;
  std::map<std::string, std::vector<double>> clocks;
  for (const ImplementedDesign& design : designs) {
    VTA_RETURN_IF_ERROR(addAreaRatios(design, area).withContext(design.label));
    VTA_RETURN_IF_ERROR(addClockRatio(design, clocks).withContext(design.label));
  }
  Calibration result;
  for (size_t i = 0; i < area.size(); ++i) {
    if (area[i].empty()) continue;
    result.area[i] = geometricMean(area[i]);
    result.remarks.push_back(remarkOf(resourceNames()[i], area[i]));
  }
  for (const auto& [device, ratios] : clocks) {
    result.clock[device] = geometricMean(ratios);
    result.remarks.push_back(remarkOf(fmt::format("clock of {}", device), ratios));
  }
  return result;
}

}  // namespace vta::sweep
