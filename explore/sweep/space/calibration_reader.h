// Reads the key calibration of a sweep.
#pragma once

#include <filesystem>

#include "base/yaml_section.h"
#include "explore/sweep/vivado/calibration.h"

namespace vta::sweep {

/// The factors of the reports that key `calibration` names, relative to `folder`; none without the
/// key. Errors begin with their place, or name the report's file.
Result<Calibration> readCalibration(YamlSection& sweep, const std::filesystem::path& folder);

}  // namespace vta::sweep
