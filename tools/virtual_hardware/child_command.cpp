#include "tools/virtual_hardware/child_command.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

namespace vta::tools {
namespace {

/// Exit code of a process whose command cannot be started, as shells have it.
constexpr int kNotFound = 127;

}  // namespace

std::vector<std::string> withPlace(std::vector<std::string> command, const std::string& place) {
  for (std::string& word : command) {
    for (size_t at = 0; (at = word.find("{}", at)) != std::string::npos; at += place.size()) {
      word.replace(at, 2, place);
    }
  }
  return command;
}

Result<pid_t> startCommand(std::vector<std::string> command,
                           const std::map<std::string, std::string>& variables) {
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  const pid_t process = fork();
  if (process < 0) return ioError("fork failed");
  if (process > 0) return process;
  for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  execvp(words[0], words.data());
  std::_Exit(kNotFound);
}

Result<int> waitForCommand(pid_t process, const std::vector<std::string>& command) {
  int status = 0;
  waitpid(process, &status, 0);
  if (WIFSIGNALED(status)) return 128 + WTERMSIG(status);
  if (WEXITSTATUS(status) != kNotFound) return WEXITSTATUS(status);
  return notFound(fmt::format("'{}' cannot be started", command[0]));
}

}  // namespace vta::tools
