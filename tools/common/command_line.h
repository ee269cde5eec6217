// What the command lines of all tools have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

namespace vta::tools {

/// Parses, with --version besides the options of `app`; false when the program is to end at once
/// with `exit_code`: help or version was printed on stdout, or the usage is wrong and was explained
/// on stderr.
bool parseCommandLine(CLI::App& app, const char* tool, int argc, char** argv, int& exit_code);

/// Explains wrong usage that parsing alone does not find, as parseCommandLine does. Returns
/// kExitUsage.
int reportUsage(const char* tool, const std::string& problem);

/// --hw.
void addHardware(CLI::App& app, std::string& file);

/// --preprocess.
void addPreprocess(CLI::App& app, std::string& preprocess);

/// Checks "how many" options: none would be work that is done without having been done.
CLI::Validator countRange();

}  // namespace vta::tools
