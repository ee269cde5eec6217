// Files as tools write them; base/files.h reads them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/status.h"

namespace vta::tools {

/// Writes beside `path` and renames, so that the target is never half-written: on any error, and
/// when a signal ends the process, it is as it was. A symbolic link stays and its target is
/// written. A new file gets the permissions that the user's mask leaves; an existing one keeps its
/// own. A target that is no regular file (a device, a pipe) is written to directly.
Status writeFile(const std::filesystem::path& path, std::span<const std::byte> data);
Status writeFile(const std::filesystem::path& path, std::string_view text);

}  // namespace vta::tools
