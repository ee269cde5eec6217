// Tools that end their work in order when they are asked to end.
#pragma once

#include <atomic>

namespace vta::tools {

/// From now on Ctrl-C and a request to end (SIGTERM) set stopFlag() instead of ending the tool. A
/// system call that waits, such as a read of standard input, ends then.
void stopOnSignals();

/// True once such a signal has come.
const std::atomic<bool>& stopFlag();

/// What shells tell of a program that such a signal has ended: 130 for Ctrl-C, 143 for SIGTERM. 0
/// where none has come.
int stopExitCode();

/// "SIGINT", "SIGTERM"; empty where none has come.
const char* stopSignalName();

}  // namespace vta::tools
