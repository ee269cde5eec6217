// Pause: how long to wait before looking again. Short after something came, so that a quick
// exchange is not held up; longer the longer nothing comes, so that waiting costs next to nothing.
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

namespace vta::launcher {

/// Waits a little longer each time until it is reset.
class Pause {
 public:
  /// No pause is longer than `longest`.
  explicit Pause(std::chrono::microseconds longest = std::chrono::milliseconds(20))
      : longest_(longest) {}

  /// Something came: the next pause is the shortest again.
  void reset() { next_ = kShortest; }
  /// Sleeps, and makes the next pause a quarter longer.
  void wait() {
    std::this_thread::sleep_for(next_);
    next_ = std::min(longest_, next_ * 5 / 4);
  }

 private:
  static constexpr std::chrono::microseconds kShortest{200};
  std::chrono::microseconds longest_;
  std::chrono::microseconds next_ = kShortest;
};

}  // namespace vta::launcher
