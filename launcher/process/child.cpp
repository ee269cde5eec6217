#include "launcher/process/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

namespace vta::launcher {
namespace {

struct Pipe {
  int read = -1;
  int write = -1;
  ~Pipe() {
    if (read >= 0) close(read);
    if (write >= 0) close(write);
  }
  Status make() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
      return {StatusCode::kResourceExhausted,
              fmt::format("cannot make a pipe: {}", std::strerror(errno))};
    }
    read = ends[0];
    write = ends[1];
    return {};
  }
};

/// What the new process does before it becomes another program. Only calls that are safe after a
/// fork of a process with threads.
[[noreturn]] void becomeProgram(char* const* argv, const Pipe& in, const Pipe& out,
                                const char* errors, const Pipe& failure, pid_t parent) {
  // Away from the terminal's Ctrl-C, which is for the parent, and not alive without it.
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(127);
  int error_file = out.write;
  if (errors[0] != '\0') error_file = open(errors, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  dup2(in.read, STDIN_FILENO);
  dup2(out.write, STDOUT_FILENO);
  dup2(error_file >= 0 ? error_file : out.write, STDERR_FILENO);
  signal(SIGPIPE, SIG_DFL);
  execvp(argv[0], argv);
  const int code = errno;
  (void)!write(failure.write, &code, sizeof(code));
  _exit(127);
}

void doNotBlock(int file) { fcntl(file, F_SETFL, fcntl(file, F_GETFL) | O_NONBLOCK); }

}  // namespace

Result<Child> Child::start(std::span<const std::string> argv, const std::string& errors) {
  Pipe in;
  Pipe out;
  Pipe failure;  // closed by a successful exec
  VTA_RETURN_IF_ERROR(in.make());
  VTA_RETURN_IF_ERROR(out.make());
  VTA_RETURN_IF_ERROR(failure.make());
  std::vector<char*> arguments;
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) {
    return Status(StatusCode::kResourceExhausted,
                  fmt::format("cannot start a process: {}", std::strerror(errno)));
  }
  if (pid == 0) becomeProgram(arguments.data(), in, out, errors.c_str(), failure, parent);
  close(std::exchange(failure.write, -1));
  int code = 0;
  if (read(failure.read, &code, sizeof(code)) == sizeof(code)) {
    waitpid(pid, nullptr, 0);
    return notFound(fmt::format("cannot start '{}': {}", argv[0], std::strerror(code)));
  }
  doNotBlock(in.write);
  doNotBlock(out.read);
  return Child(pid, std::exchange(in.write, -1), std::exchange(out.read, -1));
}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      input_(std::exchange(other.input_, -1)),
      output_(std::exchange(other.output_, -1)),
      wait_status_(other.wait_status_),
      has_ended_(other.has_ended_) {}

Child& Child::operator=(Child&& other) noexcept {
  if (this == &other) return *this;
  release();
  pid_ = std::exchange(other.pid_, -1);
  input_ = std::exchange(other.input_, -1);
  output_ = std::exchange(other.output_, -1);
  wait_status_ = other.wait_status_;
  has_ended_ = other.has_ended_;
  return *this;
}

Child::~Child() { release(); }

void Child::release() {
  kill();
  closeInput();
  if (output_ >= 0) close(std::exchange(output_, -1));
}

void Child::closeInput() {
  if (input_ >= 0) close(std::exchange(input_, -1));
}

std::string Child::ending() {
  if (!has_ended_ && waitpid(pid_, &wait_status_, WNOHANG) == pid_) has_ended_ = true;
  if (!has_ended_) return "";
  if (WIFSIGNALED(wait_status_)) {
    return fmt::format("signal {} ({})", WTERMSIG(wait_status_), strsignal(WTERMSIG(wait_status_)));
  }
  return fmt::format("exit code {}", WEXITSTATUS(wait_status_));
}

void Child::kill() {
  if (pid_ < 0 || has_ended_) return;
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);  // it may not have its group yet
  while (waitpid(pid_, &wait_status_, 0) < 0 && errno == EINTR) {
  }
  has_ended_ = true;
}

}  // namespace vta::launcher
