#include "sim/rtl/run_command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace vta::sim {
namespace {

namespace fs = std::filesystem;

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

std::atomic<bool> guard_exists = false;
std::atomic<int> caught_signal = 0;
std::atomic<pid_t> running_group = 0;  // of the program that runs; 0: none
std::array<struct sigaction, kSignals.size()> previous_actions = {};

void stopPrograms(int signal_number) {
  caught_signal = signal_number;
  const pid_t group = running_group;
  if (group > 0) kill(-group, SIGTERM);
}

/// Actions and attributes of posix_spawn, freed at the end.
struct SpawnSettings {
  SpawnSettings() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

/// In a group of its own, so that everything it starts can be stopped with it.
int spawn(const std::vector<std::string>& arguments, const fs::path& directory, const fs::path& log,
          pid_t& child) {
  SpawnSettings settings;
  posix_spawn_file_actions_addopen(&settings.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&settings.actions, STDOUT_FILENO, log.c_str(),
                                   O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&settings.actions, STDOUT_FILENO, STDERR_FILENO);
  posix_spawn_file_actions_addchdir_np(&settings.actions, directory.c_str());
  posix_spawnattr_setflags(&settings.attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&settings.attributes, 0);
  std::vector<char*> pointers;
  for (const std::string& argument : arguments) {
    pointers.push_back(const_cast<char*>(argument.c_str()));
  }
  pointers.push_back(nullptr);
  return posix_spawnp(&child, pointers[0], &settings.actions, &settings.attributes, pointers.data(),
                      environ);
}

}  // namespace

fs::path findProgram(std::string_view name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path file = fs::path(folder.empty() ? "." : folder) / name;
    std::error_code error;
    if (access(file.c_str(), X_OK) == 0 && fs::is_regular_file(file, error)) return file;
  }
  return {};
}

InterruptGuard::InterruptGuard() : is_active_(!guard_exists.exchange(true)) {
  if (!is_active_) return;
  caught_signal = 0;
  struct sigaction action = {};
  action.sa_handler = stopPrograms;
  for (size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &previous_actions[i]);
    // A process that ignores a signal (nohup) goes on doing so.
    if (previous_actions[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  if (!is_active_) return;
  for (size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], &previous_actions[i], nullptr);
  }
  guard_exists = false;
  if (const int signal_number = caught_signal; signal_number != 0) raise(signal_number);
}

Status runCommand(const std::vector<std::string>& arguments, const fs::path& directory,
                  const fs::path& log) {
  if (caught_signal != 0 && guard_exists) return internalError("stopped by a signal");
  pid_t child = 0;
  if (const int error = spawn(arguments, directory, log, child); error != 0) {
    return ioError(fmt::format("cannot run {}: {}", arguments[0], std::strerror(error)));
  }
  running_group = child;
  // The signal may have come before the group was known.
  if (caught_signal != 0) kill(-child, SIGTERM);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  running_group = 0;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  return internalError(fmt::format("{} failed", arguments[0]));
}

}  // namespace vta::sim
