#include "sim/rtl/run_command.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/types.h>

#include <array>
#include <atomic>

#include "base/process/child.h"

namespace vta::sim {
namespace {

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

}  // namespace

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

Status runCommand(const std::vector<std::string>& arguments, const std::filesystem::path& directory,
                  const std::filesystem::path& log) {
  if (caught_signal != 0 && guard_exists) return internalError("stopped by a signal");
  VTA_ASSIGN_OR_RETURN(Child child,
                       Child::start(arguments, {.output_file = log, .directory = directory}));
  running_group = child.pid();
  // The signal may have come before the group was known.
  if (caught_signal != 0) kill(-child.pid(), SIGTERM);
  const ChildEnd end = child.wait();
  running_group = 0;
  if (end.ok()) return {};
  return internalError(fmt::format("{} failed", arguments[0]));
}

}  // namespace vta::sim
