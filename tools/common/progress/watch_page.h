// A page that shows how far long work is, for a browser beside it.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace vta::tools {

/// One HTML file that browsers load again by themselves while the work goes on. It needs no script
/// and no other file. It is written at most once in `interval`, always whole: a reader never sees
/// a part. From any thread.
class WatchPage {
 public:
  explicit WatchPage(std::chrono::milliseconds interval = std::chrono::seconds(1))
      : interval_(interval) {}
  ~WatchPage() { finish("ended before its work was done"); }
  WatchPage(const WatchPage&) = delete;
  WatchPage& operator=(const WatchPage&) = delete;

  /// Writes the first page. `columns`: titles of the table of rows, that of the names first.
  /// Errors: those of writing `file`.
  Status begin(std::filesystem::path file, std::string title, std::vector<std::string> columns);

  /// As of ProgressLine.
  void update(const std::string& phase, double done, int64_t total, const std::string& detail);

  /// Sets the row of `name`, which is a new one at the end if there is none. `value` draws a line:
  /// what it was each time it changed.
  void setRow(const std::string& name, std::vector<std::string> cells, double value);

  /// Writes the last page, which is not loaded again: `how` the work ended. Nothing without
  /// begin(), or after another finish().
  void finish(std::string_view how);

  /// The first error of writing a page after the first one.
  Status status() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Row {
    std::string name;
    std::vector<std::string> cells;
    std::vector<double> history;
  };

  std::string progressText() const;
  std::string tableText() const;
  std::string pageText() const;
  Status write();
  void writeIfDue();

  const std::chrono::milliseconds interval_;
  mutable std::mutex mutex_;    // of what follows
  std::filesystem::path file_;  // empty: there is no page
  std::string title_;
  std::vector<std::string> columns_;
  std::vector<Row> rows_;
  std::map<std::string, size_t> places_;
  std::string phase_, detail_, ended_;
  double done_ = 0;
  int64_t total_ = 0;
  Clock::time_point start_, phase_start_, last_write_;
  Status status_;
};

}  // namespace vta::tools
