// WorkerProcesses: forked processes that work on tasks, so that a crash, a hang or an exhausted
// memory costs one task and nothing else.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"
#include "base/status.h"

namespace vta {

struct WorkerProcessLimits {
  std::chrono::milliseconds timeout = std::chrono::minutes(10);  // for one task
  uint64_t memory_bytes = 0;  // beyond what this process has; 0: no limit
  /// A process ends after so many tasks, and with it what they left in memory; 0: never.
  int tasks_of_a_process = 0;
};

/// What became of a task.
struct WorkerAnswer {
  enum class End {
    kAnswered,
    kDied,       // the process
    kTimedOut,   // the process was killed
    kNoProcess,  // none could be started
  };
  End end = End::kAnswered;
  std::string text;  // the answer; else what happened, for people
};

class WorkerProcesses {
 public:
  /// What a process does for one request; it returns the answer. The process has the memory of the
  /// moment of its start.
  using Body = std::function<std::string(std::string_view request)>;
  /// The request for a task, given by its number.
  using Request = std::function<std::string(size_t task)>;
  /// Called in this process as tasks end, in any order.
  using Done = std::function<void(size_t task, WorkerAnswer answer)>;

  WorkerProcesses(int processes, const WorkerProcessLimits& limits);
  ~WorkerProcesses() { end(); }
  WorkerProcesses(const WorkerProcesses&) = delete;
  WorkerProcesses& operator=(const WorkerProcesses&) = delete;

  /// Ends all processes; those to come have this body. They start when there is a task for them.
  void setBody(Body body);
  /// Starts all processes. Error: the system has none left (kResourceExhausted).
  Status start();
  /// Ends all processes.
  void end();

  /// Runs tasks 0 to count - 1, each once; processes that die are replaced. Once is_stopped() is
  /// true no task is begun; those that run end.
  void run(size_t count, const Request& request, const Done& done,
           const std::function<bool()>& is_stopped = nullptr);

 private:
  struct Worker {
    pid_t pid = -1;
    Descriptor socket;
    int tasks_done = 0;
    std::optional<size_t> task;
    std::string received;
    std::chrono::steady_clock::time_point deadline;
  };

  Status start(Worker& worker);
  [[noreturn]] void work(Descriptor socket) noexcept;
  static void end(Worker& worker);
  void give(Worker& worker, size_t task, const std::string& request, const Done& done);
  void wait(const Done& done);
  void receive(Worker& worker, const Done& done);
  static void finish(Worker& worker, WorkerAnswer answer, const Done& done);

  WorkerProcessLimits limits_;
  Body body_;
  std::vector<Worker> workers_;
};

}  // namespace vta
