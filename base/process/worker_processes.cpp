#include "base/process/worker_processes.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace vta {
namespace {

using Clock = std::chrono::steady_clock;
using End = WorkerAnswer::End;

// Both directions: the length of a text, then the text.
using Length = uint64_t;

bool sendAll(int socket, const void* data, size_t bytes) {
  const auto* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t sent = ::send(socket, next, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    next += sent;
    bytes -= static_cast<size_t>(sent);
  }
  return true;
}

bool sendText(int socket, std::string_view text) {
  const Length length = text.size();
  return sendAll(socket, &length, sizeof(length)) && sendAll(socket, text.data(), text.size());
}

// The next text; nothing at the end.
std::optional<std::string> receiveText(int socket) {
  Length length = 0;
  if (recv(socket, &length, sizeof(length), MSG_WAITALL) != sizeof(length)) return std::nullopt;
  std::string text(length, '\0');
  const auto wanted = static_cast<ssize_t>(length);
  if (wanted > 0 && recv(socket, text.data(), length, MSG_WAITALL) != wanted) return std::nullopt;
  return text;
}

uint64_t addressSpaceBytes() {
  unsigned long pages = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  if (std::fscanf(file, "%lu", &pages) != 1) pages = 0;
  std::fclose(file);
  return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

void limitMemory(uint64_t more_bytes) {
  if (more_bytes == 0) return;
  // On 32-bit machines that may be more than there are addresses: no limit.
  const uint64_t most_bytes = std::min<uint64_t>(addressSpaceBytes() + more_bytes, RLIM_INFINITY);
  const rlimit limit = {static_cast<rlim_t>(most_bytes), RLIM_INFINITY};
  setrlimit(RLIMIT_AS, &limit);
}

Status systemError(const char* what) {
  return {StatusCode::kResourceExhausted, fmt::format("{}: {}", what, std::strerror(errno))};
}

std::string endText(int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    return fmt::format("the process died by signal {} ({})", WTERMSIG(wait_status),
                       strsignal(WTERMSIG(wait_status)));
  }
  return fmt::format("the process ended with exit code {}", WEXITSTATUS(wait_status));
}

int waitForEnd(pid_t pid) {
  int wait_status = 0;
  while (waitpid(pid, &wait_status, 0) < 0 && errno == EINTR) {
  }
  return wait_status;
}

int millisecondsUntil(Clock::time_point time) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(time - Clock::now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, 1'000'000));
}

}  // namespace

WorkerProcesses::WorkerProcesses(int processes, const WorkerProcessLimits& limits)
    : limits_(limits), workers_(static_cast<size_t>(std::max(1, processes))) {}

void WorkerProcesses::setBody(Body body) {
  end();
  body_ = std::move(body);
}

Status WorkerProcesses::start() {
  for (Worker& worker : workers_) {
    if (worker.pid < 0) VTA_RETURN_IF_ERROR(start(worker));
  }
  return {};
}

void WorkerProcesses::end() {
  for (Worker& worker : workers_) end(worker);
}

Status WorkerProcesses::start(Worker& worker) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return systemError("cannot make a socket for a worker");
  }
  Descriptor here(ends[0]);
  Descriptor there(ends[1]);
  const pid_t parent = getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return systemError("cannot start a worker process");
  if (pid == 0) {
    // Ctrl-C is for the parent, which lets tasks finish; without it no worker stays behind.
    signal(SIGINT, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    for (Worker& other : workers_) other.socket.close();
    here.close();
    limitMemory(limits_.memory_bytes);
    work(std::move(there));
  }
  worker.pid = pid;
  worker.socket = std::move(here);
  worker.tasks_done = 0;
  return {};
}

// noexcept: an exception ends the process instead of running on in what the parent called.
void WorkerProcesses::work(Descriptor socket) noexcept {
  while (const auto request = receiveText(socket.number())) {
    if (!sendText(socket.number(), body_(*request))) break;
  }
  _exit(0);  // no destructors: what they would release is the parent's
}

void WorkerProcesses::end(Worker& worker) {
  if (worker.pid < 0) return;
  kill(worker.pid, SIGKILL);
  waitForEnd(worker.pid);
  worker.pid = -1;
  worker.socket.close();
}

void WorkerProcesses::run(size_t count, const Request& request, const Done& done,
                          const std::function<bool()>& is_stopped) {
  size_t next = 0;
  const auto isBusy = [](const Worker& worker) { return worker.task.has_value(); };
  for (;;) {
    for (Worker& worker : workers_) {
      if (next == count || isBusy(worker) || (is_stopped && is_stopped())) continue;
      const size_t task = next++;
      give(worker, task, request(task), done);
    }
    if (std::ranges::any_of(workers_, isBusy)) {
      wait(done);
    } else if (next == count || (is_stopped && is_stopped())) {
      return;
    }
  }
}

void WorkerProcesses::give(Worker& worker, size_t task, const std::string& request,
                           const Done& done) {
  const bool is_worn =
      limits_.tasks_of_a_process > 0 && worker.tasks_done >= limits_.tasks_of_a_process;
  if (is_worn) end(worker);
  worker.task = task;
  worker.received.clear();
  worker.deadline = Clock::now() + limits_.timeout;
  if (worker.pid < 0) {
    const Status started = start(worker);
    if (!started.ok()) return finish(worker, {End::kNoProcess, started.message()}, done);
  }
  // A process that is gone is found when its answer is waited for.
  (void)sendText(worker.socket.number(), request);
}

void WorkerProcesses::wait(const Done& done) {
  std::vector<pollfd> polled;
  std::vector<Worker*> busy;
  auto deadline = Clock::time_point::max();
  for (Worker& worker : workers_) {
    if (!worker.task) continue;
    polled.push_back({worker.socket.number(), POLLIN, 0});
    busy.push_back(&worker);
    deadline = std::min(deadline, worker.deadline);
  }
  if (poll(polled.data(), polled.size(), millisecondsUntil(deadline)) < 0) return;  // a signal
  for (size_t i = 0; i < busy.size(); ++i) {
    if (polled[i].revents != 0) {
      receive(*busy[i], done);
    } else if (Clock::now() >= busy[i]->deadline) {
      end(*busy[i]);
      const auto most = limits_.timeout.count();
      finish(*busy[i],
             {End::kTimedOut, fmt::format("it took more than {} ms and was stopped", most)}, done);
    }
  }
}

void WorkerProcesses::receive(Worker& worker, const Done& done) {
  char buffer[1 << 16];
  const ssize_t count = recv(worker.socket.number(), buffer, sizeof(buffer), 0);
  if (count < 0 && errno == EINTR) return;
  if (count <= 0) {
    const int wait_status = waitForEnd(worker.pid);
    worker.pid = -1;
    worker.socket.close();
    return finish(worker, {End::kDied, endText(wait_status)}, done);
  }
  worker.received.append(buffer, static_cast<size_t>(count));
  Length length = 0;
  if (worker.received.size() < sizeof(length)) return;
  std::memcpy(&length, worker.received.data(), sizeof(length));
  if (worker.received.size() < sizeof(length) + length) return;
  ++worker.tasks_done;
  finish(worker, {End::kAnswered, worker.received.substr(sizeof(length))}, done);
}

void WorkerProcesses::finish(Worker& worker, WorkerAnswer answer, const Done& done) {
  const size_t task = *worker.task;
  worker.task.reset();
  done(task, std::move(answer));
}

}  // namespace vta
