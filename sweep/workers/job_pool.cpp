#include "sweep/workers/job_pool.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace vta::sweep {
namespace {

using Clock = std::chrono::steady_clock;

// Before a result: its code and the length of the text.
struct Header {
  uint64_t code = 0;
  uint64_t bytes = 0;
};

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

bool sendResult(int socket, const Result<std::string>& result) {
  const std::string& text = result.ok() ? *result : result.status().message();
  const auto code = result.ok() ? StatusCode::kOk : result.status().code();
  const Header header = {static_cast<uint64_t>(code), text.size()};
  return sendAll(socket, &header, sizeof(header)) && sendAll(socket, text.data(), text.size());
}

[[noreturn]] void work(int socket, const JobPool::Body& body) noexcept {
  uint64_t job = 0;
  while (recv(socket, &job, sizeof(job), MSG_WAITALL) == sizeof(job)) {
    if (!sendResult(socket, body(job))) break;
  }
  _exit(0);  // no destructors: what they would release is the parent's
}

Status systemError(const char* what) {
  return {StatusCode::kResourceExhausted, fmt::format("{}: {}", what, std::strerror(errno))};
}

std::string endOf(int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    return fmt::format("the process died by signal {} ({})", WTERMSIG(wait_status),
                       strsignal(WTERMSIG(wait_status)));
  }
  return fmt::format("the process ended with exit code {}", WEXITSTATUS(wait_status));
}

}  // namespace

JobPool::JobPool(int processes, const JobLimits& limits)
    : limits_(limits), workers_(static_cast<size_t>(std::max(1, processes))) {}

JobPool::~JobPool() {
  for (Worker& worker : workers_) stop(worker);
}

Status JobPool::start(Worker& worker, const Body& body) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return systemError("cannot make a socket for a worker");
  }
  const pid_t parent = getpid();
  const pid_t pid = ::fork();
  if (pid < 0) {
    close(ends[0]);
    close(ends[1]);
    return systemError("cannot start a worker process");
  }
  if (pid == 0) {
    // Ctrl-C is for the parent, which lets jobs finish; without it no worker stays behind.
    signal(SIGINT, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    for (const Worker& other : workers_) {
      if (other.socket >= 0) close(other.socket);
    }
    close(ends[0]);
    work(ends[1], body);
  }
  close(ends[1]);
  worker = Worker{.pid = pid, .socket = ends[0]};
  return {};
}

void JobPool::stop(Worker& worker) {
  if (worker.pid < 0) return;
  kill(worker.pid, SIGKILL);
  while (waitpid(worker.pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  close(worker.socket);
  worker = Worker{};
}

Status JobPool::run(const std::vector<size_t>& jobs, const Body& body, const Done& done,
                    const std::atomic<bool>* stop_flag) {
  size_t next = 0;
  const auto isBusy = [](const Worker& worker) { return worker.job.has_value(); };
  for (;;) {
    const bool is_stopped = stop_flag != nullptr && *stop_flag;
    for (Worker& worker : workers_) {
      if (is_stopped || next == jobs.size() || isBusy(worker)) continue;
      VTA_RETURN_IF_ERROR(give(worker, jobs[next++], body));
    }
    if (std::ranges::none_of(workers_, isBusy)) break;
    wait(done);
  }
  for (Worker& worker : workers_) stop(worker);
  return {};
}

Status JobPool::give(Worker& worker, size_t job, const Body& body) {
  const bool is_worn =
      limits_.jobs_of_a_process > 0 && worker.jobs_done >= limits_.jobs_of_a_process;
  if (is_worn) stop(worker);
  if (worker.pid < 0) VTA_RETURN_IF_ERROR(start(worker, body));
  const uint64_t number = job;
  worker.job = job;
  worker.received.clear();
  worker.deadline = Clock::now() + limits_.timeout;
  // A process that is gone is found when its result is waited for.
  (void)sendAll(worker.socket, &number, sizeof(number));
  return {};
}

void JobPool::wait(const Done& done) {
  std::vector<pollfd> polled;
  std::vector<Worker*> busy;
  auto deadline = Clock::now() + std::chrono::hours(1);
  for (Worker& worker : workers_) {
    if (!worker.job) continue;
    polled.push_back({worker.socket, POLLIN, 0});
    busy.push_back(&worker);
    deadline = std::min(deadline, worker.deadline);
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  if (poll(polled.data(), polled.size(), static_cast<int>(std::max<int64_t>(left, 0))) < 0) return;
  for (size_t i = 0; i < busy.size(); ++i) {
    if (polled[i].revents != 0) {
      receive(*busy[i], done);
    } else if (Clock::now() >= busy[i]->deadline) {
      const std::optional<size_t> job = busy[i]->job;
      stop(*busy[i]);
      busy[i]->job = job;
      finish(
          *busy[i],
          Status(StatusCode::kDeadlineExceeded,
                 fmt::format("it took more than {} ms and was stopped", limits_.timeout.count())),
          done);
    }
  }
}

void JobPool::receive(Worker& worker, const Done& done) {
  char buffer[1 << 16];
  const ssize_t count = recv(worker.socket, buffer, sizeof(buffer), 0);
  if (count < 0 && errno == EINTR) return;
  if (count <= 0) {
    int wait_status = 0;
    const std::optional<size_t> job = worker.job;
    while (waitpid(worker.pid, &wait_status, 0) < 0 && errno == EINTR) {
    }
    close(worker.socket);
    worker = Worker{.job = job};
    finish(worker, internalError(endOf(wait_status)), done);
    return;
  }
  worker.received.append(buffer, static_cast<size_t>(count));
  Header header;
  if (worker.received.size() < sizeof(header)) return;
  std::memcpy(&header, worker.received.data(), sizeof(header));
  if (worker.received.size() < sizeof(header) + header.bytes) return;
  std::string text = worker.received.substr(sizeof(header));
  ++worker.jobs_done;
  const auto code = static_cast<StatusCode>(header.code);
  if (code == StatusCode::kOk) {
    finish(worker, std::move(text), done);
  } else {
    finish(worker, Status(code, std::move(text)), done);
  }
}

void JobPool::finish(Worker& worker, const Result<std::string>& result, const Done& done) {
  const size_t job = *worker.job;
  worker.job.reset();
  done(job, result);
}

}  // namespace vta::sweep
