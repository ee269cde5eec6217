#include "tools/common/main/stop_flag.h"

#include <signal.h>

namespace vta::tools {
namespace {

std::atomic<bool> stop = false;

}  // namespace

void stopOnSignals() {
  struct sigaction action = {};
  action.sa_handler = [](int) { stop = true; };
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

const std::atomic<bool>& stopFlag() { return stop; }

}  // namespace vta::tools
