// Files below /sys, as drivers of boards read and write them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"

namespace vta::driver {

/// The first line of a file. Errors: kNotFound, kIoError; both name the file.
Result<std::string> readAttribute(const std::filesystem::path& path);

/// The same as a number, decimal or hexadecimal with 0x. Errors: also what is no number.
Result<uint64_t> readNumberAttribute(const std::filesystem::path& path);

/// "43c00000" with or without 0x, and decimal, as options give numbers.
bool parseAddress(const std::string& text, uint64_t& value);

/// Whether there is a folder; false also for one that may not be looked at.
bool isFolder(const std::filesystem::path& path);

/// Names in a folder, sorted; empty when there is no such folder.
std::vector<std::string> namesIn(const std::filesystem::path& folder);

}  // namespace vta::driver
