#include "launcher/process/run_command.h"

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
#include "launcher/process/child.h"

namespace vta::launcher {
namespace {

using Clock = std::chrono::steady_clock;
constexpr size_t kMostOutputBytes = 1 << 20;

/// Reads until the other side closes. False: that took too long.
bool readAll(int file, Clock::time_point deadline, std::string& text) {
  char buffer[4096];
  for (;;) {
    const ssize_t count = read(file, buffer, sizeof(buffer));
    if (count == 0) return true;
    if (count > 0) {
      if (text.size() < kMostOutputBytes) text.append(buffer, static_cast<size_t>(count));
      continue;
    }
    if (errno != EAGAIN && errno != EINTR) return true;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd polled = {file, POLLIN, 0};
    poll(&polled, 1, static_cast<int>(left));
  }
}

std::string waitForEnd(Child& child, Clock::time_point deadline) {
  for (;;) {
    const std::string ending = child.ending();
    if (!ending.empty() || Clock::now() >= deadline) return ending;
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
  return fmt::format("{}: exit code {}{}{}", command, result.exit_code, said.empty() ? "" : ": ",
                     said);
}

Result<CommandResult> runCommand(std::span<const std::string> argv, std::chrono::seconds limit) {
  VTA_ASSIGN_OR_RETURN(const TemporaryFolder folder, TemporaryFolder::create("vta-command"));
  const std::filesystem::path errors = folder.path() / "errors";
  VTA_ASSIGN_OR_RETURN(Child child, Child::start(argv, errors.string()));
  child.closeInput();
  const Clock::time_point deadline = Clock::now() + limit;
  CommandResult result;
  const bool is_read = readAll(child.output(), deadline, result.output);
  const std::string ending = is_read ? waitForEnd(child, deadline) : "";
  const std::string command = oneLine(fmt::format("{}", fmt::join(argv, " ")), 200);
  if (ending.empty()) {
    return Status(StatusCode::kDeadlineExceeded,
                  fmt::format("{}: no answer within {} s", command, limit.count()));
  }
  if (const auto text = readTextFile(errors); text.ok()) result.errors = oneLine(*text);
  if (!ending.starts_with("exit code ")) {
    return internalError(fmt::format("{}: {}", command, ending));
  }
  result.exit_code = std::stoi(ending.substr(10));
  return result;
}

}  // namespace vta::launcher
