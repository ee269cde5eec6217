// Runs a short command and takes what it prints.
#pragma once

#include <chrono>
#include <span>
#include <string>

#include "base/status.h"

namespace vta::launcher {

struct CommandResult {
  int exit_code = 0;
  std::string output;  // of standard output
  std::string errors;  // of standard error, shortened to one line
};

/// Error: the program does not exist, or takes longer than `limit` and was killed
/// (kDeadlineExceeded), or dies by a signal.
Result<CommandResult> runCommand(std::span<const std::string> argv,
                                 std::chrono::seconds limit = std::chrono::seconds(60));

/// "echo a ; false: exit code 1: what it said".
std::string describeFailure(std::string_view command, const CommandResult& result);

/// `text` as one line of at most `most` characters, its end when it is longer.
std::string oneLine(std::string_view text, size_t most = 400);

}  // namespace vta::launcher
