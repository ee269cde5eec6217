// Vivado's reports as text files: what report_utilization and report_timing_summary write (Xilinx
// UG906, "Design Analysis and Closure Techniques").
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "explore/sweep/area/area_model.h"

namespace vta::sweep {

/// A report of resources.
struct UtilizationReport {
  std::string device;  // "7z020clg400-1", as Vivado writes it
  std::string state;   // "Synthesized", "Routed", ...; empty where the report does not say
  std::string scope;   // "the whole design", or the instance that the figures are of
  AreaEstimate used;
};

/// Reads the report of report_utilization. Of one with -hierarchical the figures are those of the
/// module vta_core; of others those of the whole design, or of what -cells named. Errors
/// (kInvalidArgument): no such report, a table without a resource, a count that is no number, a
/// hierarchy without vta_core.
Result<UtilizationReport> parseUtilization(std::string_view text);

/// The setup timing of one clock.
struct TimingReport {
  std::string device;       // "7z020-clg400"
  std::string speed_grade;  // "-1"
  std::string clock;
  double period_ns = 0;
  double slack_ns = 0;  // the worst of setup; below 0: the clock is not met

  /// The clock that the worst path allows.
  double mhz() const { return 1000 / (period_ns - slack_ns); }
};

/// Reads the report of report_timing_summary. `clock` names the core's clock; empty: the one clock
/// that has paths of its own. Errors (kInvalidArgument): no such report, an unknown clock, a clock
/// without paths, several clocks and no name, a period or a slack that is no number.
Result<TimingReport> parseTiming(std::string_view text, std::string_view clock);

}  // namespace vta::sweep
