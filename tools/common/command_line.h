// What the command lines of all tools have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace vta::tools {

/// Parses, with --version besides the options of `app`; false when the program is to end at once
/// with `exit_code`: help or version was printed on stdout, or the usage is wrong and was explained
/// on stderr.
bool parseCommandLine(CLI::App& app, const char* tool, int argc, char** argv, int& exit_code);

/// Puts the options that were added since the last call below a heading of their own in the help.
void groupOptions(CLI::App& app, const std::string& group);

/// Explains wrong usage that parsing alone does not find, as parseCommandLine does. Returns
/// kExitUsage.
int reportUsage(const char* tool, const std::string& problem);

/// --hw.
void addHardware(CLI::App& app, std::string& file);

/// Makes names of configurations their files (config_folder.h).
CLI::Validator hardwareName();

/// The option --extension, which may be repeated, for folders of withExtensions.
void addExtensions(CLI::App& app, std::vector<std::string>& folders);

/// --preprocess.
void addPreprocess(CLI::App& app, std::string& preprocess);

/// An option that takes one value each time it is given and may be given again. What stands behind
/// its value is the next argument, so the model may.
CLI::Option* addRepeatable(CLI::App& app, const char* name, std::vector<std::string>& values,
                           const char* description);
/// The same for an option that is declared already.
void makeRepeatable(CLI::Option& option);

/// Checks for a whole number from `low` to `high`, and says so.
CLI::Validator wholeNumber(uint64_t low, uint64_t high);

/// Checks for a number from `low` to `high`. (CLI::Range takes NaN, which is in no range.)
CLI::Validator numberFrom(double low, double high);

/// Checks seeds: every 64-bit number.
CLI::Validator seedRange();

/// Checks "how many" options: none would be work that is done without having been done.
CLI::Validator countRange();

}  // namespace vta::tools
