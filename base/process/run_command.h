// Runs a command without a shell and takes what it prints.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/process/child.h"
#include "base/status.h"

namespace vta {

struct CommandResult {
  ChildEnd end;
  std::string output;  // the first MiB of its standard output
  std::string errors;  // its standard error, shortened to one line
};

struct CommandOptions {
  /// It is killed when it takes longer; none: it may take as long as it wants. The initial value is
  /// for commands that only ask or tell something.
  std::optional<std::chrono::seconds> limit = std::chrono::seconds(60);
  bool merge_errors = false;  // what it prints on standard error belongs to the output
};

/// Runs argv[0], which is looked for in PATH, and waits until it has ended and its standard output
/// is closed. How it ended is part of the result. Errors: those of Child::start; it took longer
/// than the limit (kDeadlineExceeded).
Result<CommandResult> runCommand(std::span<const std::string> argv,
                                 const CommandOptions& options = {});

/// "sbatch: exit code 1: what it said".
std::string describeFailure(std::string_view command, const CommandResult& result);

/// `text` as one line of at most `most` characters, its end when it is longer.
std::string oneLine(std::string_view text, size_t most = 400);

}  // namespace vta
