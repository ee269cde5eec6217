// Reads the key accuracy of a model of a sweep.
#pragma once

#include <filesystem>
#include <string>

#include "base/yaml_section.h"
#include "explore/sweep/space/sweep_config.h"

namespace vta::sweep {

/// `node` is the value of the key; files are relative to `folder`. Errors begin with their place: a
/// key or a file that does not exist.
Result<AccuracyData> readAccuracy(const YAML::Node& node, const std::string& source,
                                  const std::filesystem::path& folder);

}  // namespace vta::sweep
