// Heartbeat: a thread that calls a function about once a second, however busy the others are.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace vta::launcher {

/// Its thread ends with the object, before the destructor returns.
class Heartbeat {
 public:
  /// `beat` is called by another thread until then, and must not throw.
  explicit Heartbeat(std::function<void()> beat);
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable end_;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace vta::launcher
