// The HTML page of one run, or of several side by side. It needs nothing but itself.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace vta::tools {

/// What a report's "format" says. Its "version" counts changes that older readers misunderstand.
inline constexpr const char* kReportFormat = "vta-report";
inline constexpr int kReportVersion = 1;

/// The page of `reports`, which vta-run --report made. One: its tiles, tables and plots. Several:
/// also how they compare, the first being the one that others are measured against.
std::string reportPage(const std::vector<nlohmann::ordered_json>& reports);

/// The reports in a page that reportPage made, or in a JSON file with one report. Errors: text that
/// is neither; another version.
Result<std::vector<nlohmann::ordered_json>> readReports(std::string_view text);

}  // namespace vta::tools
