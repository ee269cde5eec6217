// Command-line options that several tools share.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/compile.h"
#include "isa/support/status.h"

namespace vta::tools {

/// Parses; false when the program is to end at once with `exit_code`: help was printed on stdout,
/// or the usage is wrong and was explained on stderr.
bool parseCommandLine(CLI::App& app, const char* tool, int argc, char** argv, int& exit_code);

/// --calibration-method, --float-layers, --partition and --shape.
void addCalibrationMethod(CLI::App& app, compiler::CalibrationMethod& method);
void addFloatLayers(CLI::App& app, std::set<std::string>& layers);
void addPartition(CLI::App& app, compiler::Partition& partition);
void addShapes(CLI::App& app, std::vector<std::string>& dimensions);

/// "NAME=N" texts as a map. Errors: another form, N below 1.
Status parseDimensions(const std::vector<std::string>& texts,
                       std::map<std::string, int64_t>& dimensions);

}  // namespace vta::tools
