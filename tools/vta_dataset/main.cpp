// vta-dataset: a data set of exact cycles, for people who build cost models.
#include <fmt/format.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "base/clock.h"
#include "explore/tune/dataset/part.h"
#include "tools/common/main/run_tool.h"
#include "tools/common/main/stop_flag.h"
#include "tools/common/print.h"
#include "tools/common/progress/progress_line.h"
#include "tools/common/terminal.h"
#include "tools/vta_dataset/dataset_folder.h"
#include "tools/vta_dataset/options.h"
#include "tools/vta_dataset/train.h"

namespace vta::tools {
namespace {

/// Threads that make the missing parts.
class Run {
 public:
  Run(const DatasetOptions& options, const DatasetFolder& folder)
      : options_(options), folder_(folder), missing_(folder.missing()) {
    for (const int64_t part : missing_) wanted_ += folder.pointsOf(part);
  }

  Status make() {
    int workers = options_.workers;
    if (workers == 0) workers = static_cast<int>(std::thread::hardware_concurrency());
    std::vector<std::thread> threads;
    for (int i = 0; i < std::max(1, workers); ++i) threads.emplace_back([this] { work(); });
    while (isGoingOn()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      showProgress();
    }
    for (std::thread& thread : threads) thread.join();
    line_.clear();
    return status_;
  }

  /// Points of complete parts, of this run.
  int64_t written() const { return written_; }
  int64_t wanted() const { return wanted_; }

 private:
  bool isGoingOn() { return finished_parts_ < std::ssize(missing_) && !isOver(); }

  bool isOver() {
    const std::lock_guard lock(mutex_);
    return stopFlag() || !status_.ok();
  }

  void work() {
    while (!isOver()) {
      const size_t next = next_++;
      if (next >= missing_.size()) return;
      const Status status = makeOne(missing_[next]);
      if (status.ok()) continue;
      const std::lock_guard lock(mutex_);
      if (status_.ok()) status_ = status;
      halt_ = true;
    }
  }

  Status makeOne(int64_t part) {
    if (stopFlag()) halt_ = true;
    VTA_ASSIGN_OR_RETURN(
        const auto file,
        tune::makePart(options_.seed, part, folder_.pointsOf(part), halt_, [this](int64_t points) {
          done_ += points;
          if (stopFlag()) halt_ = true;
        }));
    if (!file) return {};
    const std::lock_guard lock(mutex_);
    VTA_RETURN_IF_ERROR(folder_.writePart(part, *file));
    written_ += folder_.pointsOf(part);
    ++finished_parts_;
    return {};
  }

  void showProgress() {
    const double seconds = secondsSince(start_);
    const double rate = seconds > 0 ? static_cast<double>(done_) / seconds : 0;
    line_.update("make points", static_cast<double>(done_), wanted_,
                 fmt::format("{:.0f} a second", rate));
  }

  const DatasetOptions& options_;
  const DatasetFolder& folder_;
  std::vector<int64_t> missing_;
  int64_t wanted_ = 0;
  Clock::time_point start_ = Clock::now();
  ProgressLine line_;
  std::atomic<size_t> next_ = 0;
  std::atomic<int64_t> done_ = 0;  // points, also of parts that are not complete
  std::atomic<int64_t> finished_parts_ = 0;
  std::atomic<bool> halt_ = false;  // for the threads: stopped, or one of them has failed
  std::mutex mutex_;                // of what follows, and of writing files
  int64_t written_ = 0;
  Status status_;
};

Status make(const DatasetOptions& options) {
  if (!options.cost_model.empty()) return trainCostModel(options);
  VTA_ASSIGN_OR_RETURN(const DatasetFolder folder,
                       DatasetFolder::open(options.folder, options.points, options.seed));
  stopOnSignals();
  Run run(options, folder);
  const Clock::time_point start = Clock::now();
  VTA_RETURN_IF_ERROR(run.make());
  const double seconds = secondsSince(start);
  print("{} points in '{}', {} new ones in {}, {:.0f} a second\n",
        formatCount(static_cast<uint64_t>(options.points - run.wanted() + run.written())),
        options.folder, formatCount(static_cast<uint64_t>(run.written())), formatSeconds(seconds),
        seconds > 0 ? static_cast<double>(run.written()) / seconds : 0);
  if (run.written() == run.wanted()) return {};
  return {StatusCode::kDeadlineExceeded,
          fmt::format("stopped by {}: the same command goes on from there", stopSignalName())};
}

}  // namespace
}  // namespace vta::tools

int main(int argc, char** argv) {
  using namespace vta::tools;
  return runStoppableTool<DatasetOptions>(kDatasetTool, argc, argv, parseDatasetOptions, make);
}
