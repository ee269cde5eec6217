// A sweep's live page.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "explore/sweep/evaluate/evaluator.h"
#include "tools/common/progress/watch_page.h"

namespace vta::tools {

/// Shows how many points a sweep has got so far, and the best value of each objective.
class PointWatch {
 public:
  /// `sweep` outlives the watch.
  explicit PointWatch(const sweep::SweepConfig& sweep) : sweep_(sweep) {}

  /// Writes the page from now on; without this call nothing is written. Errors: the file cannot be
  /// written.
  Status begin(const std::string& file);
  void show(const std::vector<sweep::PointResult>& results);
  /// Says on the page how the sweep ended; a page that could not be kept is a warning.
  void finish();

  WatchPage& page() { return page_; }

 private:
  void showBest(const sweep::PointResult& result);

  const sweep::SweepConfig& sweep_;
  WatchPage page_;
  std::map<std::string, int64_t> counts_;  // points of each status
  std::map<size_t, double> best_;          // of each objective
};

}  // namespace vta::tools
