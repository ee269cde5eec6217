#include "tools/common/main/run_tool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <new>

#include "base/text/json_reason.h"
#include "tools/common/error_json.h"
#include "tools/common/print.h"

namespace vta::tools {
namespace {

/// Fills closed standard streams with a file that is opened in the wrong direction, so that using
/// them stays an error.
void occupyClosedStreams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    // open() takes the lowest free number, which is this one.
    open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

int finish(const char* tool, int exit_code, bool as_json) {
  // Whoever asked for JSON gets one document, the error too.
  if (as_json && exit_code != kExitOk && !hasOutput()) printRaw(notedErrorJson(tool, exit_code));
  flushOutput();
  if (outputError() == 0) return exit_code;
  reportError(tool, ioError(fmt::format("cannot write to standard output: {}",
                                        std::strerror(outputError()))));
  return exit_code == kExitOk ? int{kExitFailed} : exit_code;
}

}  // namespace

int runTool(const char* tool, int argc, char** argv,
            const std::function<int(int argc, char** argv)>& body) {
  occupyClosedStreams();
  std::signal(SIGXFSZ, SIG_IGN);  // a file as large as it may be is an error of a write
  const bool as_json = wantsJson(argc, argv);
  try {  // the standard library and others report some failures no other way
    return finish(tool, body(argc, argv), as_json);
  } catch (const std::bad_alloc&) {
    return finish(
        tool,
        reportError(tool, Status(StatusCode::kResourceExhausted, "there is not enough memory")),
        as_json);
  } catch (const std::exception& error) {
    return finish(tool, reportError(tool, internalError(jsonReason(error.what()))), as_json);
  }
}

int exitCodeOf(const char* tool, const Status& status) {
  if (status.ok()) return kExitOk;
  flushOutput();
  return reportError(tool, status);
}

}  // namespace vta::tools
