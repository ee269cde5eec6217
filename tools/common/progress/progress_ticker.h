// Keeps a progress line up to date while other work goes on.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "tools/common/progress/progress_line.h"

namespace vta::tools {

/// While alive, calls `show`, which updates `line`, several times a second on a thread of its own;
/// never when nobody sees the line, or there is no thread to be had. `show` must not throw.
class ProgressTicker {
 public:
  ProgressTicker(const ProgressLine& line, std::function<void()> show);
  /// Waits for a call that is going on.
  ~ProgressTicker();
  ProgressTicker(const ProgressTicker&) = delete;
  ProgressTicker& operator=(const ProgressTicker&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace vta::tools
