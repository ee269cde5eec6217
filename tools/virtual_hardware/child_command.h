// A command behind -- on a tool's command line, which the tool runs.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "base/status.h"

namespace vta::tools {

/// The words of a command with `place` instead of {}.
std::vector<std::string> withPlace(std::vector<std::string> command, const std::string& place);

/// Starts a command with more variables in its environment; its process. Errors: kIoError.
Result<pid_t> startCommand(std::vector<std::string> command,
                           const std::map<std::string, std::string>& variables);

/// Waits for the end of the process of `command`; its exit code, as a shell tells it. Errors:
/// kNotFound when it could not be started.
Result<int> waitForCommand(pid_t process, const std::vector<std::string>& command);

}  // namespace vta::tools
