// StagedQueue: work in stages, each on a thread of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/status.h"
#include "driver/runtime/background/launch_queue.h"

namespace vta::driver {

/// A stage of one work runs beside other stages of the works around it: behind the stage in front
/// of it, and behind the same stage of the works in front of its own. What comes behind a failure
/// does not run. Used by one thread at a time.
class StagedQueue {
 public:
  explicit StagedQueue(size_t stages);
  ~StagedQueue();
  StagedQueue(const StagedQueue&) = delete;
  StagedQueue& operator=(const StagedQueue&) = delete;

  size_t stages() const { return queues_.size(); }

  /// One part for each stage. Returns at once, as LaunchQueue::add does.
  void add(std::vector<std::function<Status()>> parts);

  /// Blocks until all stages of the first `count` have ended that were added since finish().
  /// Errors: the first of those that have ended.
  Status wait(uint32_t count) { return queues_.back()->wait(count); }

  /// Blocks until all have ended, and forgets them. Errors: the first.
  Status finish();

 private:
  std::vector<std::unique_ptr<LaunchQueue>> queues_;
  uint32_t added_ = 0;
};

}  // namespace vta::driver
