#include "tests/onnx_conformance/isolate.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <list>

namespace vta::conformance {
namespace {

using Clock = std::chrono::steady_clock;

struct Process {
  size_t task;
  pid_t pid;
  int pipe;  // the task's text; closed when its process ends
  Clock::time_point deadline;
  std::string text;
  bool is_late = false;
};

void writeAll(int file, const std::string& text) {
  for (size_t written = 0; written < text.size();) {
    ssize_t count = write(file, text.data() + written, text.size() - written);
    if (count <= 0) return;
    written += static_cast<size_t>(count);
  }
}

Process start(size_t index, const std::function<std::string()>& task, Clock::time_point deadline) {
  int ends[2];
  pid_t pid = pipe(ends) == 0 ? fork() : -1;
  if (pid < 0) std::abort();  // the machine is out of processes or files: no test can run
  if (pid == 0) {
    close(ends[0]);
    writeAll(ends[1], task());
    _exit(0);
  }
  close(ends[1]);
  return {index, pid, ends[0], deadline, {}};
}

/// Reads what is there; true once the process has ended.
bool readFrom(Process& process) {
  char buffer[4096];
  ssize_t count = read(process.pipe, buffer, sizeof(buffer));
  if (count > 0) process.text.append(buffer, static_cast<size_t>(count));
  return count <= 0;
}

IsolatedResult finish(Process& process) {
  int status = 0;
  close(process.pipe);
  waitpid(process.pid, &status, 0);
  if (process.is_late) return {End::kHung, "no result in time"};
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {End::kReturned, process.text};
  if (WIFSIGNALED(status)) return {End::kCrashed, "signal " + std::to_string(WTERMSIG(status))};
  return {End::kCrashed, "exit status " + std::to_string(WEXITSTATUS(status))};
}

/// Waits a moment for output of any of `running`; kills those that are late.
void waitForOutput(std::list<Process>& running, std::vector<pollfd>& polled) {
  polled.clear();
  for (Process& process : running) {
    if (!process.is_late && Clock::now() > process.deadline) {
      process.is_late = true;
      kill(process.pid, SIGKILL);
    }
    polled.push_back({process.pipe, POLLIN, 0});
  }
  poll(polled.data(), polled.size(), 100);
}

}  // namespace

std::vector<IsolatedResult> runIsolated(
    const std::vector<std::function<std::string()>>& tasks, int jobs, double limit_seconds,
    const std::function<void(size_t index, const IsolatedResult& result)>& done) {
  const auto limit =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limit_seconds));
  std::vector<IsolatedResult> results(tasks.size());
  std::list<Process> running;
  std::vector<pollfd> polled;
  size_t next = 0;
  while (next < tasks.size() || !running.empty()) {
    while (next < tasks.size() && std::ssize(running) < jobs) {
      running.push_back(start(next, tasks[next], Clock::now() + limit));
      ++next;
    }
    waitForOutput(running, polled);
    size_t position = 0;
    for (auto process = running.begin(); process != running.end(); ++position) {
      if (polled[position].revents == 0 || !readFrom(*process)) {
        ++process;
        continue;
      }
      results[process->task] = finish(*process);
      if (done) done(process->task, results[process->task]);
      process = running.erase(process);
    }
  }
  return results;
}

}  // namespace vta::conformance
