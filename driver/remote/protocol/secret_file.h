// Files that nobody but their owner may read.
#pragma once

#include <filesystem>
#include <string>

#include "base/status.h"

namespace vta::remote {

/// The text of a small file. Errors: those of readTextFile; kInvalidArgument, with the remedy, when
/// its group or others may read or write it.
Result<std::string> readSecretFile(const std::filesystem::path& path);

}  // namespace vta::remote
