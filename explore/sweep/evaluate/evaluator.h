// Evaluator: cycles, energy and area of points.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "explore/sweep/cache/cache.h"
#include "explore/sweep/evaluate/model_library.h"
#include "explore/sweep/evaluate/network_job.h"
#include "explore/sweep/evaluate/point_accuracies.h"
#include "explore/sweep/evaluate/point_result.h"
#include "explore/sweep/network/network_timer.h"
#include "explore/sweep/space/sweep_space.h"
#include "explore/workers/farm/farm.h"

namespace vta::sweep {

struct EvaluatorOptions {
  int processes = 1;
  /// Starts the workers that simulate networks (network_work.h), when the first network is not in
  /// the cache; empty: processes of this machine do.
  std::function<Result<std::unique_ptr<launcher::Farm>>()> start_farm = {};
  std::filesystem::path cache_file;
  /// Measures accuracy where models have samples; null: it stays unknown. Must outlive the
  /// evaluator.
  AccuracyMeter* accuracy_meter = nullptr;
  std::chrono::milliseconds timeout = std::chrono::minutes(10);  // for one network of one point
  const std::atomic<bool>* stop = nullptr;
  /// Hears of phases ("models", what a model's compilation says of itself, "outlines", "accuracy",
  /// "points") and of how much is done.
  std::function<void(const std::string& phase, int64_t done, int64_t total)> progress = {};
};

/// What an evaluator did since its creation.
struct EvaluatorCounts {
  int64_t networks = 0;    // simulated
  int64_t reused = 0;      // found in the cache
  int64_t shared = 0;      // equal to another point's in all that cycles depend on
  int64_t outlines = 0;    // made
  int64_t accuracies = 0;  // measured
  int64_t failed = 0;
};

class Evaluator {
 public:
  /// `sweep` and `library` must outlive the evaluator. Errors: those of Cache::open.
  static Result<Evaluator> create(SweepConfig& sweep, ModelLibrary& library,
                                  EvaluatorOptions options);

  /// Results of `points` in their order. A point whose evaluation fails has an error; those not
  /// begun when *options.stop became true have the error kStopped. Error: the cache or the system
  /// fails; what is finished is in the cache.
  Result<std::vector<PointResult>> evaluate(std::vector<Point> points);

  /// The layers of each model on `point`, which has results, one by one.
  Result<std::vector<std::vector<LayerTime>>> layers(const Point& point);

  EvaluatorCounts counts() const;
  /// Texts that a result depends on besides its point: one for each model of the sweep.
  const std::map<std::string, std::string>& modelHashes() const { return model_hashes_; }
  /// What accuracies depend on besides: the contents of the samples of each model that has some.
  const std::map<std::string, std::string>& dataHashes() const { return accuracies_.dataHashes(); }

 private:
  /// A network on an accelerator with a memory: what is simulated once.
  struct Job {
    size_t model = 0;
    int64_t batch = 1;
    HwConfig hw = HwConfig::makeDefault();
    uint32_t memory = 0;
    std::string outline_key;
    std::string key;
    Result<std::string> result = internalError("not evaluated");
  };
  struct OutlineJob {
    size_t job = 0;  // one that needs it
    std::string key;
  };

  Evaluator(SweepConfig& sweep, ModelLibrary& library, EvaluatorOptions options, Cache cache)
      : sweep_(&sweep),
        library_(&library),
        options_(std::move(options)),
        cache_(std::move(cache)),
        accuracies_(sweep, library,
                    {.meter = options_.accuracy_meter,
                     .processes = options_.processes,
                     .timeout = options_.timeout,
                     .stop = options_.stop,
                     .progress = options_.progress}) {}

  Result<size_t> addJob(const Point& point, size_t model);
  Status runJobs(const std::vector<size_t>& wanted, bool per_layer);
  Status runHere(const std::vector<size_t>& missing, bool per_layer);
  Status runOnFarm(const std::vector<size_t>& missing, bool per_layer);
  Status finishJob(size_t number, const Result<std::string>& result, bool per_layer);
  NetworkJob networkJob(const Job& job, bool per_layer) const;
  Status findOutlines(const std::vector<size_t>& wanted);
  Status makeOutlines(std::vector<OutlineJob> missing);
  Result<std::string> simulate(const Job& job, bool per_layer);
  void finishPoint(const std::vector<size_t>& jobs, PointResult& result);

  SweepConfig* sweep_;
  ModelLibrary* library_;
  EvaluatorOptions options_;
  Cache cache_;
  PointAccuracies accuracies_;
  std::unique_ptr<launcher::Farm> farm_;  // null until it is needed
  EvaluatorCounts counts_;
  std::vector<Job> jobs_;
  std::map<std::string, size_t> job_of_key_;
  std::map<std::string, Result<std::string>> outlines_;
  std::map<std::string, std::string> model_hashes_;
};

}  // namespace vta::sweep
