// What the main() of every tool does around its work.
#pragma once

#include <functional>

#include "base/status.h"
#include "tools/common/main/stop_flag.h"
#include "tools/common/terminal.h"

namespace vta::tools {

/// The body of main() for every tool. `body` returns the exit code. Standard output is flushed
/// after it; if not everything could be written, the tool says so and an exit code of 0 becomes
/// kExitFailed. A standard stream that is closed at the start stays unusable: no file that is
/// opened later takes its place. An exception ends the tool with a message and kExitFailed.
int runTool(const char* tool, int argc, char** argv,
            const std::function<int(int argc, char** argv)>& body);

/// The exit code for how the work ended: kExitOk, or an error is reported behind what the tool has
/// printed so far.
int exitCodeOf(const char* tool, const Status& status);

/// The same for a tool that reads its command line first. `parse(argc, argv, options, exit_code)`
/// returns as parseCommandLine does, and `Status work(const Options&)` does the rest.
template <typename Options, typename Parse, typename Work>
int runTool(const char* tool, int argc, char** argv, const Parse& parse, const Work& work) {
  return runTool(tool, argc, argv, [&](int count, char** arguments) {
    Options options;
    int exit_code = kExitOk;
    if (!parse(count, arguments, options, exit_code)) return exit_code;
    return exitCodeOf(tool, work(options));
  });
}

/// The same for a tool that ends its work in order when it is asked to (stopOnSignals): work that
/// ends with an error then has the exit code of the signal.
template <typename Options, typename Parse, typename Work>
int runStoppableTool(const char* tool, int argc, char** argv, const Parse& parse,
                     const Work& work) {
  return runTool(tool, argc, argv, [&](int count, char** arguments) {
    Options options;
    int exit_code = kExitOk;
    if (!parse(count, arguments, options, exit_code)) return exit_code;
    exit_code = exitCodeOf(tool, work(options));
    return exit_code != kExitOk && stopExitCode() != 0 ? stopExitCode() : exit_code;
  });
}

}  // namespace vta::tools
