// Child: a process of another program whose standard streams are pipes to this one.
#pragma once

#include <sys/types.h>

#include <span>
#include <string>

#include "base/status.h"

namespace vta::launcher {

/// The destructor kills what still runs: the process and those that it started.
class Child {
 public:
  /// Starts argv[0], which is looked for in PATH. Its standard error is appended to the file
  /// `errors`; empty: it is merged into the standard output. Errors: the program does not exist, no
  /// more processes (kResourceExhausted).
  static Result<Child> start(std::span<const std::string> argv, const std::string& errors = {});

  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;
  ~Child();

  /// To its standard input, from its standard output. They do not block.
  int input() const { return input_; }
  int output() const { return output_; }
  void closeInput();

  pid_t pid() const { return pid_; }
  /// "exit code 3", "signal 9 (Killed)"; empty while it runs.
  std::string ending();
  /// Ends it, at once.
  void kill();

 private:
  Child(pid_t pid, int input, int output) : pid_(pid), input_(input), output_(output) {}
  void release();

  pid_t pid_ = -1;
  int input_ = -1;
  int output_ = -1;
  int wait_status_ = 0;
  bool has_ended_ = false;
};

}  // namespace vta::launcher
