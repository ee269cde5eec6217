// --report: what the page about a run shows, as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "driver/runtime/session.h"
#include "tools/vta_run/report.h"

namespace vta::tools {

/// The data of a page (tools/vta_report/report_page.h). `report` has the layers of `result`, which
/// was made with a launch per layer and with traces, on a device with cycles.
nlohmann::ordered_json reportData(const RunReport& report, const driver::RunResult& result);

/// The page with these data alone.
std::string htmlReport(const RunReport& report, const driver::RunResult& result);

}  // namespace vta::tools
