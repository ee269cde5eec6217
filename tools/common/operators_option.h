// --operators: the user's libraries of operators.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace vta::tools {

/// Each library is loaded when its option is read; the errors of loadOperatorLibrary are those of
/// the command line.
void addOperators(CLI::App& app, std::vector<std::string>& files);

}  // namespace vta::tools
