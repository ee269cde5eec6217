// LaunchQueue: launches on a thread of their own, while the host goes on.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>

#include "base/status.h"

namespace vta::driver {

/// Runs what it is given, one after the other. What comes behind a failure does not run. Used by
/// one thread at a time; ends when everything it was given has.
class LaunchQueue {
 public:
  LaunchQueue() = default;
  ~LaunchQueue();
  LaunchQueue(const LaunchQueue&) = delete;
  LaunchQueue& operator=(const LaunchQueue&) = delete;

  /// Returns at once, but for the case that no thread can be had: then after `work`.
  void add(std::function<Status()> work);

  /// Blocks until the first `count` have ended that were added since finish(). Errors: the first of
  /// those that have ended.
  Status wait(uint32_t count);

  /// Blocks until all have ended, and forgets them. Errors: the first.
  Status finish();

 private:
  void main();
  void runFront(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::queue<std::function<Status()>> work_;  // the first one may be running
  uint32_t ended_ = 0;
  Status status_;
  bool stop_ = false;
  std::thread thread_;  // started when it is first needed
};

}  // namespace vta::driver
