// PointAccuracies: what quantisation costs the networks of points, each measured once.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "explore/sweep/accuracy/accuracy.h"
#include "explore/sweep/cache/cache.h"
#include "explore/sweep/evaluate/model_library.h"
#include "explore/sweep/evaluate/point_result.h"

namespace vta::sweep {

class PointAccuracies {
 public:
  /// How accuracies are measured; see EvaluatorOptions.
  struct Work {
    AccuracyMeter* meter = nullptr;  // null: nothing is measured
    int processes = 1;
    std::chrono::milliseconds timeout{};  // for one network of one point
    const std::atomic<bool>* stop = nullptr;
    std::function<void(const std::string& phase, int64_t done, int64_t total)> progress = {};
  };

  /// `sweep` and `library` must outlive this.
  PointAccuracies(const SweepConfig& sweep, ModelLibrary& library, Work work)
      : sweep_(&sweep), library_(&library), work_(std::move(work)) {}

  /// Accuracies of all legal points, from `cache`. What is missing is measured, and added to it.
  /// Errors: samples that do not fit their network; the cache or the system fails.
  Status find(const std::vector<PointResult>& results, Cache& cache);

  /// The accuracy of `entry` on `hw`, which find() has seen, or why it is unknown, into `model`.
  /// Nothing for a model without samples.
  void add(const ModelEntry& entry, const HwConfig& hw, ModelResult& model);

  /// The contents of the samples of each model that has some.
  const std::map<std::string, std::string>& dataHashes() const { return data_hashes_; }
  int64_t measured() const { return measured_; }

 private:
  /// A network's integers, which several accelerators may have in common.
  struct Job {
    size_t model = 0;
    HwConfig hw = HwConfig::makeDefault();
    std::string key;
  };

  Result<std::string> keyOf(const ModelEntry& entry, const HwConfig& hw);
  Status measure(const std::vector<Job>& missing, Cache& cache);

  const SweepConfig* sweep_;
  ModelLibrary* library_;
  Work work_;
  int64_t measured_ = 0;
  std::map<std::string, std::string> data_hashes_;  // by model
  std::map<std::string, Result<Accuracy>> accuracies_;
};

}  // namespace vta::sweep
