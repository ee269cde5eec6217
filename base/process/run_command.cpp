#include "base/process/run_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <thread>

#include "base/files.h"
#include "base/temporary_folder.h"

namespace vta {
namespace {

using Clock = std::chrono::steady_clock;
using Deadline = std::optional<Clock::time_point>;
constexpr size_t kMostOutputBytes = 1 << 20;

/// For poll(): -1 without a deadline, 0 when it has passed.
int millisecondsUntil(const Deadline& deadline) {
  if (!deadline) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now());
  return static_cast<int>(std::max<int64_t>(0, left.count()));
}

/// Reads until the other side closes. False: that took too long.
bool readAll(int file, const Deadline& deadline, std::string& text) {
  char buffer[4096];
  for (;;) {
    const ssize_t count = read(file, buffer, sizeof(buffer));
    if (count == 0) return true;
    if (count > 0) {
      if (text.size() < kMostOutputBytes) text.append(buffer, static_cast<size_t>(count));
      continue;
    }
    if (errno != EAGAIN && errno != EINTR) return true;
    const int left = millisecondsUntil(deadline);
    if (left == 0) return false;
    pollfd polled = {file, POLLIN, 0};
    poll(&polled, 1, left);
  }
}

std::optional<ChildEnd> waitForEnd(Child& child, const Deadline& deadline) {
  if (!deadline) return child.wait();
  for (;;) {
    const std::optional<ChildEnd> end = child.end();
    if (end || Clock::now() >= *deadline) return end;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

}  // namespace

std::string oneLine(std::string_view text, size_t most) {
  std::string line;
  for (const char c : text) {
    const bool is_space = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!is_space) line += c;
    if (is_space && !line.empty() && line.back() != ' ') line += ' ';
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  if (line.size() > most) line = "..." + line.substr(line.size() - most);
  return line;
}

std::string describeFailure(std::string_view command, const CommandResult& result) {
  const std::string said = result.errors.empty() ? oneLine(result.output) : result.errors;
  return fmt::format("{}: {}{}{}", command, result.end.text(), said.empty() ? "" : ": ", said);
}

Result<CommandResult> runCommand(std::span<const std::string> argv, const CommandOptions& options) {
  VTA_ASSIGN_OR_RETURN(const TemporaryFolder folder, TemporaryFolder::create("vta-command"));
  ChildOptions streams;
  if (!options.merge_errors) streams.error_file = folder.path() / "errors";
  VTA_ASSIGN_OR_RETURN(Child child, Child::start(argv, streams));
  Deadline deadline;
  if (options.limit) deadline = Clock::now() + *options.limit;
  CommandResult result;
  std::optional<ChildEnd> end;
  if (readAll(child.output(), deadline, result.output)) end = waitForEnd(child, deadline);
  if (!end) {
    const std::string command = oneLine(fmt::format("{}", fmt::join(argv, " ")), 200);
    return Status(StatusCode::kDeadlineExceeded,
                  fmt::format("{}: no answer within {} s", command, options.limit->count()));
  }
  result.end = *end;
  if (!options.merge_errors) {
    VTA_ASSIGN_OR_RETURN(const std::string errors, readTextFile(streams.error_file));
    result.errors = oneLine(errors);
  }
  return result;
}

}  // namespace vta
