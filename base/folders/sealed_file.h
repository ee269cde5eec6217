// Files with code that a process loads: nobody else can have written them, and they are whole.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "base/status.h"

namespace vta {

/// Adds a size and a checksum to the end of `file`, which loaders of libraries do not look at.
/// Errors: kIoError.
Status sealFile(const std::filesystem::path& file);

/// True when `file` is as sealFile left it: not truncated, not damaged, not of another origin.
bool isSealed(const std::filesystem::path& file);

/// The same of a file's bytes.
std::vector<std::byte> sealed(std::span<const std::byte> bytes);
/// What was sealed; none if it is damaged.
std::optional<std::span<const std::byte>> unsealed(std::span<const std::byte> bytes);

/// Loading a library runs its code, so `path` (the library or its folder) has to belong to this
/// user or to root, and nobody else may be able to write to it. Errors: kIoError with a remedy.
Status requireOwn(const std::filesystem::path& path);

}  // namespace vta
