// Whether a model on disk may be loaded: nobody else can have written it, and it is whole.
#pragma once

#include <filesystem>

#include "base/status.h"

namespace vta::sim {

/// Adds a size and a checksum to the end of a library, which loaders do not look at. Errors:
/// kIoError.
Status sealModel(const std::filesystem::path& library);

/// True when `library` is as sealModel left it: not truncated, not damaged, not of another origin.
bool isSealed(const std::filesystem::path& library);

/// Loading a library runs its code, so `path` (the library or its folder) has to belong to this
/// user or to root, and nobody else may be able to write to it. Errors: kIoError with a remedy.
Status requireOwn(const std::filesystem::path& path);

}  // namespace vta::sim
