#include "tune/measure/worker_pool.h"

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
#include <type_traits>
#include <utility>

namespace vta::tune {
namespace {

using Clock = std::chrono::steady_clock;

// What goes to a worker and what comes back: one packet each.
struct Request {
  kernel::Schedule schedule;
  uint64_t most = 0;
};
static_assert(std::is_trivially_copyable_v<Request>);

struct Reply {
  Outcome outcome = Outcome::kFailed;
  uint64_t cycles = 0;
  char error[240] = {};
};
static_assert(std::is_trivially_copyable_v<Reply>);

Reply replyOf(const Measurement& measurement) {
  Reply reply{.outcome = measurement.outcome, .cycles = measurement.cycles};
  const size_t length = std::min(measurement.error.size(), sizeof(reply.error) - 1);
  std::memcpy(reply.error, measurement.error.data(), length);
  return reply;
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
  const rlimit limit = {addressSpaceBytes() + more_bytes, RLIM_INFINITY};
  setrlimit(RLIMIT_AS, &limit);
}

int millisecondsUntil(Clock::time_point time) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(time - Clock::now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, 1'000'000));
}

}  // namespace

std::string_view outcomeName(Outcome outcome) {
  switch (outcome) {
    case Outcome::kCycles:
      return "cycles";
    case Outcome::kSlower:
      return "slower";
    case Outcome::kFailed:
      return "failed";
    case Outcome::kCrashed:
      return "crashed";
    case Outcome::kTimedOut:
      return "timed out";
    case Outcome::kNotMeasured:
      return "not measured";
  }
  return "failed";
}

WorkerPool::WorkerPool(int workers, const WorkerLimits& limits)
    : limits_(limits), workers_(static_cast<size_t>(std::max(1, workers))) {}

WorkerPool::~WorkerPool() {
  for (Worker& worker : workers_) stop(worker);
}

Status WorkerPool::start(Body body) {
  for (Worker& worker : workers_) stop(worker);
  body_ = std::move(body);
  for (Worker& worker : workers_) VTA_RETURN_IF_ERROR(fork(worker));
  return {};
}

Status WorkerPool::fork(Worker& worker) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return {StatusCode::kResourceExhausted,
            fmt::format("cannot make a socket for a worker: {}", std::strerror(errno))};
  }
  const pid_t parent = getpid();
  const pid_t pid = ::fork();
  if (pid < 0) {
    close(ends[0]);
    close(ends[1]);
    return {StatusCode::kResourceExhausted,
            fmt::format("cannot start a worker process: {}", std::strerror(errno))};
  }
  if (pid == 0) {
    // Ctrl-C is for the parent, which lets trials finish; without it no worker stays behind.
    signal(SIGINT, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    for (const Worker& other : workers_) {
      if (other.socket >= 0) close(other.socket);
    }
    close(ends[0]);
    limitMemory(limits_.memory_bytes);
    workerMain(ends[1]);
  }
  close(ends[1]);
  worker = Worker{.pid = pid, .socket = ends[0]};
  return {};
}

void WorkerPool::workerMain(int socket) const noexcept {
  Request request;
  while (recv(socket, &request, sizeof(request), 0) == sizeof(request)) {
    const Reply reply = replyOf(body_(request.schedule, request.most));
    if (::send(socket, &reply, sizeof(reply), MSG_NOSIGNAL) != sizeof(reply)) break;
  }
  _exit(0);  // no destructors: what they would release is the parent's
}

void WorkerPool::stop(Worker& worker) {
  if (worker.pid < 0) return;
  kill(worker.pid, SIGKILL);
  while (waitpid(worker.pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  close(worker.socket);
  worker = Worker{};
}

std::vector<Measurement> WorkerPool::run(std::span<const kernel::Schedule> schedules,
                                         uint64_t most) {
  std::vector<Measurement> results(schedules.size());
  size_t next = 0;
  const auto isBusy = [](const Worker& worker) { return worker.trial.has_value(); };
  while (next < schedules.size() || std::ranges::any_of(workers_, isBusy)) {
    for (Worker& worker : workers_) {
      if (next == schedules.size() || isBusy(worker)) continue;
      const size_t trial = next++;
      if (!send(worker, trial, schedules[trial], most)) replace(worker, Outcome::kCrashed, results);
    }
    waitForReplies(results);
  }
  return results;
}

bool WorkerPool::send(Worker& worker, size_t trial, const kernel::Schedule& schedule,
                      uint64_t most) {
  worker.trial = trial;
  worker.deadline = Clock::now() + limits_.timeout;
  const Request request = {schedule, most};
  return worker.pid >= 0 &&
         ::send(worker.socket, &request, sizeof(request), MSG_NOSIGNAL) == sizeof(request);
}

void WorkerPool::waitForReplies(std::vector<Measurement>& results) {
  std::vector<pollfd> polled;
  std::vector<Worker*> busy;
  auto deadline = Clock::time_point::max();
  for (Worker& worker : workers_) {
    if (!worker.trial) continue;
    polled.push_back({worker.socket, POLLIN, 0});
    busy.push_back(&worker);
    deadline = std::min(deadline, worker.deadline);
  }
  if (busy.empty()) return;
  if (poll(polled.data(), polled.size(), millisecondsUntil(deadline)) < 0) return;  // a signal
  for (size_t i = 0; i < busy.size(); ++i) {
    Worker& worker = *busy[i];
    if (polled[i].revents == 0) {
      if (Clock::now() >= worker.deadline) replace(worker, Outcome::kTimedOut, results);
      continue;
    }
    Reply reply;
    if (recv(worker.socket, &reply, sizeof(reply), 0) == sizeof(reply)) {
      finish(worker, {reply.outcome, reply.cycles, reply.error}, results);
    } else {
      replace(worker, Outcome::kCrashed, results);
    }
  }
}

void WorkerPool::finish(Worker& worker, const Measurement& result,
                        std::vector<Measurement>& results) {
  results[*worker.trial] = result;
  worker.trial.reset();
}

void WorkerPool::replace(Worker& worker, Outcome outcome, std::vector<Measurement>& results) {
  finish(worker, {outcome, 0, ""}, results);
  stop(worker);
  // Without another process the next trial of this worker fails likewise.
  (void)fork(worker);
}

}  // namespace vta::tune
