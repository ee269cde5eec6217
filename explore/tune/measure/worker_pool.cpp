#include "explore/tune/measure/worker_pool.h"

#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace vta::tune {
namespace {

using End = WorkerAnswer::End;

struct Request {
  kernel::Schedule schedule;
  uint64_t most = 0;
};
static_assert(std::is_trivially_copyable_v<Request>);

// An answer is this, then the text of an error.
struct Reply {
  Outcome outcome = Outcome::kFailed;
  bool is_steady = true;
  uint64_t cycles = 0;
};
static_assert(std::is_trivially_copyable_v<Reply>);

template <typename T>
std::string bytesOf(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

}  // namespace

std::string answerText(const Measurement& measurement) {
  return bytesOf(Reply{measurement.outcome, measurement.is_steady, measurement.cycles}) +
         measurement.error;
}

Measurement measurementOf(const WorkerAnswer& answer) {
  if (answer.end == End::kTimedOut) return {Outcome::kTimedOut, 0, ""};
  if (answer.end != End::kAnswered) return {Outcome::kCrashed, 0, ""};
  Reply reply;
  std::memcpy(&reply, answer.text.data(), sizeof(reply));
  Measurement measurement = {reply.outcome, reply.cycles, answer.text.substr(sizeof(reply))};
  measurement.is_steady = reply.is_steady;
  return measurement;
}

Status WorkerPool::start(Body body) {
  processes_.setBody([body = std::move(body)](std::string_view bytes) {
    Request request;
    std::memcpy(&request, bytes.data(), sizeof(request));
    return answerText(body(request.schedule, request.most));
  });
  return processes_.start();
}

std::vector<Measurement> WorkerPool::run(std::span<const kernel::Schedule> schedules,
                                         uint64_t most) {
  std::vector<Measurement> results(schedules.size());
  processes_.run(
      schedules.size(),
      [&](size_t trial) {
        return bytesOf(Request{schedules[trial], most});
      },
      [&](size_t trial, const WorkerAnswer& answer) { results[trial] = measurementOf(answer); });
  return results;
}

}  // namespace vta::tune
