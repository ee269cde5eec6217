// Checks of paths that a command line names, before any work is done for them.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace vta::tools {

/// A path, and the option that gave it ("--report", or "model"). An empty path is an option that
/// was not given.
struct NamedPath {
  std::string option;
  std::string path;
};

/// What a tool reads and writes. An input in "NAME=PATH" form goes in as its path.
struct PathUse {
  std::vector<NamedPath> inputs;          // files or folders
  std::vector<NamedPath> outputs;         // files
  std::vector<NamedPath> output_folders;  // made when missing
};

/// Errors, naming options and paths: an output file that is also an input or another output, by the
/// same name or another (links); a folder that is missing, is not a folder or may not be written;
/// an output file that is a folder; an output folder that is also an input. Devices such as
/// /dev/null may be named any number of times.
Status checkPaths(const PathUse& use);

/// The path of a "NAME=PATH" argument, or the argument itself when it exists as it is or has no
/// "=".
std::string pathOf(const std::string& argument);

}  // namespace vta::tools
