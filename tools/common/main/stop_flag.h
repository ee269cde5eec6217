// Tools that end their work in order when they are asked to end.
#pragma once

#include <atomic>

namespace vta::tools {

/// From now on Ctrl-C and a request to end (SIGTERM) set stopFlag() instead of ending the tool. A
/// system call that waits, such as a read of standard input, ends then.
void stopOnSignals();

/// True once such a signal has come.
const std::atomic<bool>& stopFlag();

}  // namespace vta::tools
