#include "tools/common/progress/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "tools/common/print.h"
#include "tools/common/terminal.h"

namespace vta::tools {
namespace {

void eraseLine() { std::fputs("\r\x1b[K", stderr); }

}  // namespace

ProgressLine::ProgressLine(WatchPage* page) : enabled_(isatty(STDERR_FILENO) != 0), page_(page) {}

void ProgressLine::update(const std::string& phase, double done, int64_t total,
                          const std::string& detail) {
  if (page_ != nullptr) page_->update(phase, done, total, detail);
  if (!enabled_) return;
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  if (phase != phase_) {
    phase_ = phase;
    phase_start_ = now;
  } else if (now - last_print_ < std::chrono::milliseconds(100)) {
    return;
  }
  last_print_ = now;
  std::string line = phase;
  const double elapsed = std::chrono::duration<double>(now - phase_start_).count();
  const auto all = static_cast<double>(total);
  const bool has_estimate = done > 0 && done < all && elapsed > 1;
  if (total > 1) line += fmt::format(" {}/{}", static_cast<int64_t>(done), total);
  if (total == 1 && has_estimate) line += fmt::format(" {:.0f} %", 100 * done);
  if (has_estimate) line += fmt::format(", {:.0f} s left", elapsed / done * (all - done));
  if (!detail.empty()) line += ": " + detail;
  eraseLine();
  printErrorText(printableName(line));
  visible_ = true;
}

void ProgressLine::clear() {
  const std::lock_guard lock(mutex_);
  if (!visible_) return;
  eraseLine();
  visible_ = false;
}

}  // namespace vta::tools
