// Where programs keep files of this user between runs.
#pragma once

#include <filesystem>

#include "base/status.h"

namespace vta {

/// $VTA_CACHE_DIR, else vta/ below $XDG_CACHE_HOME, $HOME/.cache or $XDG_RUNTIME_DIR. Empty when
/// none of them says where. The folder need not exist.
std::filesystem::path userCacheFolder();

/// Makes the folder and those above it that are missing, for this user alone. One that exists stays
/// as it is. Errors: kIoError with the folder.
Status makeOwnFolder(const std::filesystem::path& path);

}  // namespace vta
