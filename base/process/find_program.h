// Where programs are.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace vta {

/// The folders of PATH, in which programs are looked for.
std::vector<std::filesystem::path> programFolders();

/// The file of the program `name` in the first of `folders` that has it; empty when none has.
std::filesystem::path findProgram(std::string_view name,
                                  std::span<const std::filesystem::path> folders);

/// The same on PATH.
std::filesystem::path findProgram(std::string_view name);

}  // namespace vta
