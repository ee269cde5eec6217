// Calibration: what a vendor's tool needs and reaches, over what the models estimate.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "explore/sweep/area/area_model.h"
#include "explore/sweep/vivado/report.h"

namespace vta::sweep {

/// Reports on one implemented configuration.
struct ImplementedDesign {
  std::string label;  // for people: the configuration's file
  HwConfig hw = HwConfig::makeDefault();
  std::optional<UtilizationReport> utilization;
  std::optional<TimingReport> timing;
};

/// Factors from estimates to a vendor's tool; 1 where no report says more.
struct Calibration {
  std::array<double, 4> area = {1, 1, 1, 1};  // lut, ff, dsp, bram36
  std::map<std::string, double> clock;        // by the device of a ClockEstimate
  std::vector<std::string> remarks;           // a line for each factor, with its spread

  AreaEstimate apply(const AreaEstimate& estimate) const;
  /// The factor of the device's clock.
  double clockFactor(std::string_view device) const;
};

/// The geometric means of used over estimated, over all designs. Errors (kInvalidArgument, with the
/// design's label): a device without a clock estimate, figures that cannot be of this configuration
/// (more than five times the estimate, or less than a fifth).
Result<Calibration> calibrate(const std::vector<ImplementedDesign>& designs);

}  // namespace vta::sweep
