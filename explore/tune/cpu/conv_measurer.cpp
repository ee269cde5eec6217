#include "explore/tune/cpu/conv_measurer.h"

#include <sched.h>

#include <algorithm>
#include <ctime>
#include <string>

namespace vta::tune {
namespace {

constexpr size_t kEvictedBytes = size_t{16} << 20;  // more than a core's own caches
constexpr double kSteady = 1.1;
constexpr int kAttempts = 3;

uint64_t threadNanoseconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

/// Reads more than the caches hold, so that weights come from where a network finds them.
void evictCaches() {
  static const std::vector<char> memory(kEvictedBytes, 1);
  volatile int64_t sum = 0;
  for (size_t i = 0; i < memory.size(); i += 64) sum = sum + memory[i];
}

/// A chain of dependent operations: its time is that of so many clock cycles.
uint64_t clockProbe() {
  uint64_t least = ~uint64_t{0};
  for (int round = 0; round < 3; ++round) {
    const uint64_t start = threadNanoseconds();
    volatile uint64_t value = 1;
    for (int i = 0; i < 10'000; ++i) value = value * 3;
    least = std::min(least, threadNanoseconds() - start);
  }
  return least;
}

/// Keeps this process on the last processor that it may use.
void stayOnOneProcessor() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return;
  for (int cpu = CPU_SETSIZE - 1; cpu >= 0; --cpu) {
    if (!CPU_ISSET(cpu, &allowed)) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof(one), &one);
    return;
  }
}

Measurement measureOne(const MakeConvCall& make, const ConvSpec& spec, const ConvSchedule& schedule,
                       uint64_t most, int repeats) {
  const Result<ConvCall> call = make(spec, schedule);
  if (!call.ok()) return {Outcome::kFailed, 0, call.status().message()};
  Measurement best = {Outcome::kCycles, kAnyCycles, ""};
  best.is_steady = false;
  for (int attempt = 0; attempt < kAttempts && !best.is_steady; ++attempt) {
    const RepeatedTime time = timeCall(*call, repeats);
    best.cycles = std::min(best.cycles, time.nanoseconds);
    best.is_steady = time.is_steady;
  }
  if (best.cycles <= most) return best;
  best.outcome = Outcome::kSlower;
  best.cycles = 0;
  return best;
}

}  // namespace

RepeatedTime timeCall(const ConvCall& call, int repeats) {
  const uint64_t clock_before = clockProbe();
  std::vector<uint64_t> times;
  for (int i = 0; i <= repeats; ++i) {
    evictCaches();
    call.prepare();
    const uint64_t start = threadNanoseconds();
    call.run();
    if (i > 0) times.push_back(threadNanoseconds() - start);  // the first run loads the code
  }
  const uint64_t clock_after = clockProbe();
  RepeatedTime result = repeatedTime(std::move(times));
  const auto [fast, slow] = std::minmax(clock_before, clock_after);
  result.is_steady =
      result.is_steady && static_cast<double>(slow) <= kSteady * static_cast<double>(fast);
  return result;
}

ConvMeasurer::ConvMeasurer(MakeConvCall make, const WorkerLimits& limits, int repeats)
    : make_(std::move(make)),
      repeats_(repeats),
      processes_(std::make_unique<WorkerProcesses>(
          1, WorkerProcessLimits{.timeout = limits.timeout, .memory_bytes = limits.memory_bytes})) {
}

Status ConvMeasurer::begin(const ConvSpec& spec) {
  processes_->setBody([make = make_, spec, repeats = repeats_](std::string_view request) {
    static const bool is_pinned = (stayOnOneProcessor(), true);
    static_cast<void>(is_pinned);
    const size_t space = request.find(' ');
    const uint64_t most = std::stoull(std::string(request.substr(0, space)));
    const Result<ConvSchedule> schedule = parseConvSchedule(request.substr(space + 1));
    if (!schedule.ok()) {
      return answerText({Outcome::kFailed, 0, schedule.status().message()});
    }
    return answerText(measureOne(make, spec, *schedule, most, repeats));
  });
  return processes_->start();
}

std::vector<Measurement> ConvMeasurer::measure(std::span<const ConvSchedule> schedules,
                                               uint64_t most) {
  std::vector<Measurement> results(schedules.size());
  processes_->run(
      schedules.size(),
      [&](size_t i) { return std::to_string(most) + " " + convScheduleText(schedules[i]); },
      [&](size_t i, const WorkerAnswer& answer) { results[i] = measurementOf(answer); });
  return results;
}

}  // namespace vta::tune
