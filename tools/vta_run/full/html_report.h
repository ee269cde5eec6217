// --report: the run as one HTML page that needs nothing else.
#pragma once

#include <string>

#include "driver/runtime/session.h"
#include "tools/vta_run/report.h"

namespace vta::tools {

/// The page. `report` has the layers of `result`, which was made with a launch per layer and with
/// traces, on a device with cycles.
std::string htmlReport(const RunReport& report, const driver::RunResult& result);

}  // namespace vta::tools
