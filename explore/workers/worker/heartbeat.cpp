#include "explore/workers/worker/heartbeat.h"

#include <signal.h>

#include <chrono>
#include <utility>

namespace vta::launcher {

Heartbeat::Heartbeat(std::function<void()> beat) {
  // Signals are the main thread's: they have to interrupt what it waits for.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this, beat = std::move(beat)] {
    std::unique_lock lock(mutex_);
    while (!end_.wait_for(lock, std::chrono::seconds(1), [this] { return is_over_; })) beat();
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Heartbeat::~Heartbeat() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  end_.notify_one();
  thread_.join();
}

}  // namespace vta::launcher
