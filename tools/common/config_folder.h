// The configurations that come with the project, by name.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace vta::tools {

/// configs/hw of the SDK that this program belongs to: beside the program, or beside one of its
/// parents. Never that of the working folder: what a name means does not depend on where a tool
/// runs, and a folder of a stranger does not give it another meaning.
std::optional<std::filesystem::path> findConfigFolder();

/// The names of the configurations in that folder, sorted.
std::vector<std::string> configNames();

/// Makes the name of a configuration in that folder ("wide") its file. A text with a slash or with
/// the ending .yaml is a path and stays; so does the name of a file that no configuration has. An
/// error text for what is neither.
std::string resolveConfigName(std::string& text);

}  // namespace vta::tools
