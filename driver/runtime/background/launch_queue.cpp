#include "driver/runtime/background/launch_queue.h"

#include <system_error>
#include <utility>

namespace vta::driver {

LaunchQueue::~LaunchQueue() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void LaunchQueue::add(std::function<Status()> work) {
  std::unique_lock lock(mutex_);
  work_.push(std::move(work));
  if (!thread_.joinable()) {
    try {
      thread_ = std::thread([this] { main(); });
    } catch (const std::system_error&) {
      return runFront(lock);
    }
  }
  changed_.notify_all();
}

Status LaunchQueue::wait(uint32_t count) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return ended_ >= count; });
  return status_;
}

Status LaunchQueue::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return work_.empty(); });
  ended_ = 0;
  return std::exchange(status_, {});
}

void LaunchQueue::main() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return stop_ || !work_.empty(); });
    if (work_.empty()) return;
    runFront(lock);
  }
}

/// Runs the first one without the lock.
void LaunchQueue::runFront(std::unique_lock<std::mutex>& lock) {
  if (status_.ok()) {
    const std::function<Status()> work = std::move(work_.front());
    lock.unlock();
    Status status = work();
    lock.lock();
    status_ = std::move(status);
  }
  work_.pop();
  ++ended_;
  changed_.notify_all();
}

}  // namespace vta::driver
