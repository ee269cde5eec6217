// vta-module-worker: the process in which vta-server --modules runs one client's module. It is
// started by the server, with the bytes of memory that it may take, and speaks with it over its
// standard input and output (driver/remote/worker).
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "driver/remote/worker/module_worker.h"

namespace vta::remote {
namespace {

constexpr int kInput = 3;
constexpr int kOutput = 4;

/// Takes the channel away from where the module's code would write to it, and closes every file of
/// the server's that has come along.
bool takeChannel() {
  const int input = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, kOutput + 1);
  const int output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, kOutput + 1);
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (input < 0 || output < 0 || nothing < 0) return false;
  const bool is_moved =
      dup3(input, kInput, O_CLOEXEC) == kInput && dup3(output, kOutput, O_CLOEXEC) == kOutput &&
      dup2(nothing, STDIN_FILENO) == STDIN_FILENO && dup2(nothing, STDOUT_FILENO) == STDOUT_FILENO;
  return is_moved && close_range(kOutput + 1, ~0U, 0) == 0;
}

bool limit(__rlimit_resource what, rlim_t most) {
  const rlimit limits = {most, most};
  return setrlimit(what, &limits) == 0;
}

/// What host code may take. It ends with the server, and gets no rights from programs that it runs.
bool limitMyself(rlim_t memory_bytes) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  clearenv();
  return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         limit(RLIMIT_DATA, memory_bytes) && limit(RLIMIT_CORE, 0);
}

}  // namespace
}  // namespace vta::remote

int main(int argc, char** argv) {
  using namespace vta::remote;
  const rlim_t memory_bytes = argc == 2 ? std::strtoull(argv[1], nullptr, 10) : 0;
  if (memory_bytes == 0) {
    std::fputs("vta-module-worker: vta-server --modules starts this program\n", stderr);
    return 2;
  }
  if (!takeChannel() || !limitMyself(memory_bytes)) return 3;
  FrameChannel channel(kInput, kOutput);
  return ModuleWorker(channel).serve().ok() ? 0 : 1;
}
