// Child: a process of another program.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "base/descriptor.h"
#include "base/status.h"

namespace vta {

/// How a process ended.
struct ChildEnd {
  int exit_code = 0;
  int signal = 0;  // that ended it; 0: it ended by itself
  bool ok() const { return exit_code == 0 && signal == 0; }
  std::string text() const;  // "exit code 3", "signal 9 (Killed)"
};

/// What a process reads and writes, and where it runs.
struct ChildOptions {
  bool has_input = false;               // a pipe from here; else it has nothing to read
  std::filesystem::path output_file{};  // to append its output to; empty: a pipe to here
  std::filesystem::path error_file{};   // to append its errors to; empty: they go with its output
  std::filesystem::path directory{};    // empty: that of this process
};

/// It stands in a process group of its own, with the processes that it starts: a terminal's Ctrl-C,
/// which is for the parent, does not reach it. It gets SIGTERM when the thread that started it
/// ends. The destructor kills the group if the process still runs.
class Child {
 public:
  /// Starts argv[0], which is looked for in PATH. Errors: the program does not exist or the folder
  /// cannot be entered (kNotFound), a file cannot be opened (kIoError), no more processes
  /// (kResourceExhausted).
  static Result<Child> start(std::span<const std::string> argv, const ChildOptions& options = {});

  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;
  ~Child() { kill(); }

  /// To its standard input, from its standard output; they do not block. -1 for what is no pipe.
  int input() const { return input_.number(); }
  int output() const { return output_.number(); }

  /// Of the process, and of its group.
  pid_t pid() const { return pid_; }

  /// How it ended; nothing while it runs.
  std::optional<ChildEnd> end();
  /// The same, when it has ended.
  ChildEnd wait();
  /// Ends it, at once.
  void kill();

 private:
  Child(pid_t pid, Descriptor input, Descriptor output)
      : pid_(pid), input_(std::move(input)), output_(std::move(output)) {}
  void noteEnd(int wait_status);

  pid_t pid_ = -1;
  Descriptor input_;
  Descriptor output_;
  std::optional<ChildEnd> end_;
};

}  // namespace vta
