// Containers (.xclbin), checked before XRT sees them.
#pragma once

#include <experimental/xrt_xclbin.h>

#include <filesystem>

#include "base/status.h"

namespace vta::driver {

/// Reads a container. XRT trusts the numbers in one, so that a damaged one would crash it. Errors
/// name the file: kNotFound; kInvalidArgument when it is no container, or damaged.
Result<xrt::xclbin> readContainer(const std::filesystem::path& path);

}  // namespace vta::driver
