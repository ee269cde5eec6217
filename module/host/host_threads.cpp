#include "module/host/host_threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <mutex>

#include "base/clock.h"
#include "module/host/host_failure.h"
#include "module/operators/operator_libraries.h"

namespace vta {
namespace {

/// The first failure of one call, and the time of its parts. Threads of the call may report at the
/// same time. Takes no memory, of which there may be none, but for what an own operator says.
class Call {
 public:
  explicit Call(std::span<double> part_seconds) : part_seconds_(part_seconds) {
    std::ranges::fill(part_seconds_, 0);
    if (!part_seconds_.empty()) last_mark_ = Clock::now();
  }

  void fail(uint32_t failure, const char* where, int64_t value, int64_t limit) {
    const std::lock_guard lock(mutex_);
    if (failure_ != 0 || !of_operator_.ok()) return;
    failure_ = failure;
    where_ = where;
    value_ = value;
    limit_ = limit;
  }
  void failOperator(Status status) {
    const std::lock_guard lock(mutex_);
    if (failure_ == 0 && of_operator_.ok()) of_operator_ = std::move(status);
  }
  void mark(int64_t part) {
    if (part_seconds_.empty()) return;
    const Clock::time_point now = Clock::now();
    const auto index = static_cast<size_t>(part);
    if (index < part_seconds_.size()) {
      part_seconds_[index] += std::chrono::duration<double>(now - last_mark_).count();
    }
    last_mark_ = now;
  }
  /// Once the call has ended.
  Status status() const {
    return failure_ == 0 ? of_operator_ : hostFailureStatus(failure_, where_, value_, limit_);
  }

 private:
  std::mutex mutex_;
  uint32_t failure_ = 0;  // none
  const char* where_ = nullptr;
  int64_t value_ = 0, limit_ = 0;
  Status of_operator_;  // what an own operator has said
  std::span<double> part_seconds_;
  Clock::time_point last_mark_;
};

void fail(const VtaHostContext* context, uint32_t failure, const char* where, int64_t value,
          int64_t limit) {
  static_cast<Call*>(context->call)->fail(failure, where, value, limit);
}

void mark(const VtaHostContext* context, int64_t part) {
  static_cast<Call*>(context->call)->mark(part);
}

/// Behind a failure nothing is computed: its results are none.
void callOperator(const VtaHostContext* context, const char* node, int64_t node_bytes,
                  void* const* arguments) {
  auto& call = *static_cast<Call*>(context->call);
  const auto bytes = std::as_bytes(std::span(node, static_cast<size_t>(node_bytes)));
  const Result<OperatorNode> decoded = decodeOperatorNode(bytes);
  if (!decoded.ok()) return call.failOperator(decoded.status());
  const Status status = computeOwnOperator(*decoded, arguments);
  if (!status.ok()) {
    call.failOperator(status.withContext(fmt::format("node '{}'", decoded->node)));
  }
}

}  // namespace

HostThreads::HostThreads(unsigned num_threads) : pool_(num_threads) {
  context_ = {
      VTA_HOST_ABI_VERSION, pool_.numThreads(), parallelFor, &pool_, nullptr, nullptr, nullptr,
      callOperator};
}

Status HostThreads::call(VtaHostFunction function, void* const* arguments,
                         std::span<double> part_seconds) const {
  Call call(part_seconds);
  VtaHostContext context = context_;
  context.fail = fail;
  context.call = &call;
  context.mark = mark;
  function(&context, arguments);
  return call.status();
}

void HostThreads::parallelFor(const VtaHostContext* context, VtaLoopBody body, void* closure,
                              int64_t count) {
  static_cast<ThreadPool*>(context->pool)->parallelFor(body, closure, count);
}

}  // namespace vta
