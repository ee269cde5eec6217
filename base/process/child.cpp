#include "base/process/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

namespace vta {
namespace {

struct Pipe {
  Descriptor read;
  Descriptor write;
};

Result<Pipe> makePipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return Status(StatusCode::kResourceExhausted,
                  fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  }
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

Result<Descriptor> openFile(const std::filesystem::path& file, int flags) {
  Descriptor opened(open(file.c_str(), flags | O_CLOEXEC, 0600));
  if (opened.isOpen()) return opened;
  return ioError(fmt::format("cannot open '{}': {}", file.string(), std::strerror(errno)));
}

Result<Descriptor> openToAppend(const std::filesystem::path& file) {
  return openFile(file, O_WRONLY | O_CREAT | O_APPEND);
}

/// The ends that the new process gets and those that stay here.
struct Streams {
  Descriptor input;
  Descriptor output;
  Descriptor errors;  // none: as `output`
  Descriptor to_input;
  Descriptor from_output;
};

Result<Streams> openStreams(const ChildOptions& options) {
  Streams streams;
  if (options.has_input) {
    VTA_ASSIGN_OR_RETURN(Pipe pipe, makePipe());
    streams.input = std::move(pipe.read);
    streams.to_input = std::move(pipe.write);
  } else {
    VTA_ASSIGN_OR_RETURN(streams.input, openFile("/dev/null", O_RDONLY));
  }
  if (options.output_file.empty()) {
    VTA_ASSIGN_OR_RETURN(Pipe pipe, makePipe());
    streams.output = std::move(pipe.write);
    streams.from_output = std::move(pipe.read);
  } else {
    VTA_ASSIGN_OR_RETURN(streams.output, openToAppend(options.output_file));
  }
  if (!options.error_file.empty()) {
    VTA_ASSIGN_OR_RETURN(streams.errors, openToAppend(options.error_file));
  }
  return streams;
}

/// Why the new process did not become the program.
struct Failure {
  int code = 0;  // an errno
  bool is_directory = false;
};

/// What the new process does before it becomes another program. Only calls that are safe after a
/// fork of a process with threads.
[[noreturn]] void becomeProgram(char* const* argv, const char* directory, const Streams& streams,
                                const Descriptor& failures, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(127);
  dup2(streams.input.number(), STDIN_FILENO);
  dup2(streams.output.number(), STDOUT_FILENO);
  dup2((streams.errors.isOpen() ? streams.errors : streams.output).number(), STDERR_FILENO);
  signal(SIGPIPE, SIG_DFL);
  Failure failure;
  failure.is_directory = directory[0] != '\0' && chdir(directory) != 0;
  if (!failure.is_directory) execvp(argv[0], argv);
  failure.code = errno;
  (void)!write(failures.number(), &failure, sizeof(failure));
  _exit(127);
}

/// What the new process reports; nothing when it has become the program, which closes the pipe.
std::optional<Failure> readFailure(const Descriptor& pipe) {
  Failure failure;
  ssize_t count = 0;
  do {
    count = read(pipe.number(), &failure, sizeof(failure));
  } while (count < 0 && errno == EINTR);
  if (count != sizeof(failure)) return std::nullopt;
  return failure;
}

void waitFor(pid_t pid, int* status) {
  while (waitpid(pid, status, 0) < 0 && errno == EINTR) {
  }
}

void doNotBlock(const Descriptor& file) {
  if (file.isOpen()) fcntl(file.number(), F_SETFL, fcntl(file.number(), F_GETFL) | O_NONBLOCK);
}

}  // namespace

std::string ChildEnd::text() const {
  if (signal != 0) return fmt::format("signal {} ({})", signal, strsignal(signal));
  return fmt::format("exit code {}", exit_code);
}

Result<Child> Child::start(std::span<const std::string> argv, const ChildOptions& options) {
  VTA_ASSIGN_OR_RETURN(Streams streams, openStreams(options));
  VTA_ASSIGN_OR_RETURN(Pipe failures, makePipe());
  std::vector<char*> arguments;
  arguments.reserve(argv.size() + 1);
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) {
    return Status(StatusCode::kResourceExhausted,
                  fmt::format("cannot start a process: {}", std::strerror(errno)));
  }
  if (pid == 0) {
    becomeProgram(arguments.data(), options.directory.c_str(), streams, failures.write, parent);
  }
  failures.write.close();
  if (const auto failure = readFailure(failures.read)) {
    waitFor(pid, nullptr);
    const std::string place =
        failure->is_directory ? fmt::format(" in '{}'", options.directory.string()) : "";
    return notFound(
        fmt::format("cannot start '{}'{}: {}", argv[0], place, std::strerror(failure->code)));
  }
  doNotBlock(streams.to_input);
  doNotBlock(streams.from_output);
  return Child(pid, std::move(streams.to_input), std::move(streams.from_output));
}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      input_(std::move(other.input_)),
      output_(std::move(other.output_)),
      end_(other.end_) {}

Child& Child::operator=(Child&& other) noexcept {
  if (this == &other) return *this;
  kill();
  pid_ = std::exchange(other.pid_, -1);
  input_ = std::move(other.input_);
  output_ = std::move(other.output_);
  end_ = other.end_;
  return *this;
}

void Child::noteEnd(int wait_status) {
  end_.emplace();
  if (WIFSIGNALED(wait_status)) {
    end_->signal = WTERMSIG(wait_status);
  } else {
    end_->exit_code = WEXITSTATUS(wait_status);
  }
}

std::optional<ChildEnd> Child::end() {
  int status = 0;
  if (!end_ && waitpid(pid_, &status, WNOHANG) == pid_) noteEnd(status);
  return end_;
}

ChildEnd Child::wait() {
  if (!end_) {
    int status = 0;
    waitFor(pid_, &status);
    noteEnd(status);
  }
  return *end_;
}

void Child::kill() {
  if (pid_ < 0 || end_) return;
  ::kill(-pid_, SIGKILL);
  wait();
}

}  // namespace vta
