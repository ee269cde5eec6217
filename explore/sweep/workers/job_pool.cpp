#include "explore/sweep/workers/job_pool.h"

#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

namespace vta::sweep {
namespace {

using End = WorkerAnswer::End;

// A request is a job's number; an answer is a result's code, then its text or its message.
template <typename T>
std::string bytesOf(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

template <typename T>
T takeNumber(std::string_view& bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(value));
  bytes.remove_prefix(sizeof(value));
  return value;
}

std::string answerOf(const Result<std::string>& result) {
  if (result.ok()) return bytesOf(StatusCode::kOk) + *result;
  return bytesOf(result.status().code()) + result.status().message();
}

Result<std::string> resultOf(const WorkerAnswer& answer) {
  if (answer.end == End::kTimedOut) return Status(StatusCode::kDeadlineExceeded, answer.text);
  if (answer.end != End::kAnswered) return internalError(answer.text);
  std::string_view text = answer.text;
  const auto code = takeNumber<StatusCode>(text);
  if (code == StatusCode::kOk) return std::string(text);
  return Status(code, std::string(text));
}

}  // namespace

Status JobPool::run(const std::vector<size_t>& jobs, const Body& body, const Done& done,
                    const std::atomic<bool>* stop) {
  Status status;
  processes_.setBody(
      [&body](std::string_view request) { return answerOf(body(takeNumber<size_t>(request))); });
  processes_.run(
      jobs.size(), [&jobs](size_t task) { return bytesOf(jobs[task]); },
      [&](size_t task, const WorkerAnswer& answer) {
        if (answer.end == End::kNoProcess) {
          status = {StatusCode::kResourceExhausted, answer.text};
        } else {
          done(jobs[task], resultOf(answer));
        }
      },
      [&] { return !status.ok() || (stop != nullptr && *stop); });
  processes_.end();  // the next run has other memory
  return status;
}

}  // namespace vta::sweep
