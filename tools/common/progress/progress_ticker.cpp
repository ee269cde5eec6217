#include "tools/common/progress/progress_ticker.h"

#include <chrono>
#include <system_error>
#include <utility>

namespace vta::tools {

ProgressTicker::ProgressTicker(const ProgressLine& line, std::function<void()> show) {
  if (!line.isShown()) return;
  const auto run = [this, show = std::move(show)] {
    constexpr std::chrono::milliseconds kInterval{200};
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, kInterval, [this] { return is_over_; })) show();
  };
  try {
    thread_ = std::thread(run);
  } catch (const std::system_error&) {
    // Nothing depends on the calls.
  }
}

ProgressTicker::~ProgressTicker() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

}  // namespace vta::tools
