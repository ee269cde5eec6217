#include "tools/vta_dataset/train.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "explore/tune/dataset/part.h"
#include "explore/tune/dataset/training.h"
#include "tools/common/files.h"
#include "tools/common/main/stop_flag.h"
#include "tools/common/print.h"
#include "tools/common/progress/progress_line.h"
#include "tools/common/terminal.h"

namespace vta::tools {
namespace {

using tune::Sample;

/// The points of all parts, made by threads.
class Collector {
 public:
  explicit Collector(const DatasetOptions& options)
      : options_(options),
        parts_(
            static_cast<size_t>((options.points + tune::kPointsOfPart - 1) / tune::kPointsOfPart)),
        errors_(parts_.size()) {}

  /// In the order of the data set, whatever thread made them.
  Result<std::vector<Sample>> collect() {
    int workers = options_.workers;
    if (workers == 0) workers = static_cast<int>(std::thread::hardware_concurrency());
    std::vector<std::thread> threads;
    for (int i = 0; i < std::max(1, workers); ++i) threads.emplace_back([this] { work(); });
    ProgressLine line;
    while (finished_ < parts_.size() && !stopFlag()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      line.update("make points", static_cast<double>(done_), options_.points);
    }
    for (std::thread& thread : threads) thread.join();
    line.clear();
    return joined();
  }

 private:
  void work() {
    for (size_t part = next_++; part < parts_.size() && !stopFlag(); part = next_++) {
      const int64_t first = static_cast<int64_t>(part) * tune::kPointsOfPart;
      auto samples = tune::samplesOfPart(options_.seed, static_cast<int64_t>(part),
                                         std::min(tune::kPointsOfPart, options_.points - first),
                                         stopFlag(), [this] { ++done_; });
      if (samples.ok()) {
        parts_[part] = *std::move(samples);
      } else {
        errors_[part] = samples.status();
      }
      ++finished_;
    }
  }

  Result<std::vector<Sample>> joined() {
    std::vector<Sample> all;
    uint32_t groups = 0;
    for (size_t part = 0; part < parts_.size(); ++part) {
      VTA_RETURN_IF_ERROR(errors_[part]);
      const uint32_t before = groups;
      for (Sample& sample : parts_[part]) {
        sample.group += before;
        groups = std::max(groups, sample.group + 1);
        all.push_back(sample);
      }
    }
    return all;
  }

  const DatasetOptions& options_;
  std::vector<std::vector<Sample>> parts_;
  std::vector<Status> errors_;
  std::atomic<size_t> next_ = 0;
  std::atomic<size_t> finished_ = 0;
  std::atomic<int64_t> done_ = 0;
};

}  // namespace

Status trainCostModel(const DatasetOptions& options) {
  stopOnSignals();
  const Clock::time_point start = Clock::now();
  VTA_ASSIGN_OR_RETURN(const std::vector<Sample> samples, Collector(options).collect());
  if (stopFlag()) {
    return {StatusCode::kDeadlineExceeded,
            fmt::format("stopped by {}: no cost model was written", stopSignalName())};
  }
  tune::CostModel model(tune::sharedModelOptions());
  VTA_RETURN_IF_ERROR(model.fit(samples));
  VTA_ASSIGN_OR_RETURN(const std::string text, model.toJson());
  VTA_RETURN_IF_ERROR(writeFile(options.cost_model, std::as_bytes(std::span(text))));
  print("{} learned from {} points in {}\n", options.cost_model, formatCount(samples.size()),
        formatSeconds(secondsSince(start)));
  return {};
}

}  // namespace vta::tools
