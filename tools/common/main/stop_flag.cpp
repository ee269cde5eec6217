#include "tools/common/main/stop_flag.h"

#include <signal.h>

namespace vta::tools {
namespace {

std::atomic<bool> stop = false;
std::atomic<int> stop_signal = 0;  // the first one

}  // namespace

void stopOnSignals() {
  struct sigaction action = {};
  action.sa_handler = [](int number) {
    int none = 0;
    stop_signal.compare_exchange_strong(none, number);
    stop = true;
  };
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

const std::atomic<bool>& stopFlag() { return stop; }

int stopExitCode() {
  constexpr int kSignalled = 128;
  return stop_signal == 0 ? 0 : kSignalled + stop_signal;
}

const char* stopSignalName() {
  if (stop_signal == 0) return "";
  return stop_signal == SIGINT ? "SIGINT" : "SIGTERM";
}

}  // namespace vta::tools
