// The configurations that come with the project, by name.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace vta::tools {

/// The nearest configs/hw: below the working folder or one of its parents, or beside the program.
std::optional<std::filesystem::path> findConfigFolder();

/// Makes the name of a configuration in that folder ("wide") its file; a path stays. An error text
/// for a name that neither a file nor a configuration has.
std::string resolveConfigName(std::string& text);

}  // namespace vta::tools
