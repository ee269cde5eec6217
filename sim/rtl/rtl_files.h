// The files that the RTL consists of.
#pragma once

#include <filesystem>
#include <vector>

#include "base/status.h"

namespace vta::sim {

/// The files of the RTL in `directory`, in the order of its files.f, without the package. Errors:
/// kNotFound without files.f.
Result<std::vector<std::filesystem::path>> rtlFiles(const std::filesystem::path& directory);

}  // namespace vta::sim
