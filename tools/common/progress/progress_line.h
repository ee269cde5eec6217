// How far long work is, for people who wait for it.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

#include "tools/common/progress/watch_page.h"

namespace vta::tools {

/// A line on stderr that shows how far long work is and how long it will still take; nothing at all
/// unless stderr is a terminal. A page to watch, which may be null, hears the same. From any
/// thread.
class ProgressLine {
 public:
  explicit ProgressLine(WatchPage* page = nullptr);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  bool isShown() const { return enabled_; }

  /// Of `total` pieces, `done` are done; a part of one counts for the time that is left, and as a
  /// percentage of a single piece. A `total` of 0: of unknown length. The time of a phase begins
  /// with its name: what changes on the way is a `detail`.
  void update(const std::string& phase, double done, int64_t total, const std::string& detail = "");
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  bool enabled_;
  WatchPage* page_;
  std::mutex mutex_;  // of what follows
  bool visible_ = false;
  std::string phase_;
  Clock::time_point phase_start_;
  Clock::time_point last_print_;
};

}  // namespace vta::tools
