// Files as tools read and write them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace vta::tools {

/// The contents of a regular file. Errors name the file and say what is wrong with it.
Result<std::vector<std::byte>> readFile(const std::filesystem::path& path);

/// Writes beside `path` and renames, so that the target is never half-written: on any error, and
/// when a signal ends the process, it is as it was. A target that is no regular file (a device, a
/// pipe) is written to directly.
Status writeFile(const std::filesystem::path& path, std::span<const std::byte> data);
Status writeFile(const std::filesystem::path& path, std::string_view text);

}  // namespace vta::tools
