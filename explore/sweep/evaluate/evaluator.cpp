#include "explore/sweep/evaluate/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "explore/sweep/evaluate/hex_text.h"
#include "explore/sweep/evaluate/network_result.h"
#include "explore/sweep/evaluate/network_work.h"
#include "explore/sweep/network/outline_text.h"
#include "explore/sweep/workers/job_pool.h"
#include "explore/tune/task/task_text.h"

namespace vta::sweep {
namespace {

// So many packings of one model stay in a process's memory at once.
constexpr int kOutlinesOfAProcess = 4;

// So many networks are given to a farm together. What is finished is kept in the cache then.
constexpr size_t kJobsOfABatch = 256;

const char* resultKind(bool per_layer) { return per_layer ? "layers" : "network"; }

/// What of an accelerator and its memory cycles depend on.
std::string timingKey(const HwConfig& hw, const sim::MemoryConfig& memory, const Effort& effort) {
  const tune::TimingKey key = tune::keyOf(tune::Timing{hw, memory});
  return fmt::format("{}\n{}\n{}", key.configuration, key.memory, effortName(effort));
}

/// Schedules of this process and of the cache.
class KnownSchedules {
 public:
  KnownSchedules(Cache& cache, std::string timing) : cache_(cache), timing_(std::move(timing)) {}

  ScheduleMemory memory() {
    return {[this](const kernel::KernelDesc& desc) { return find(desc); },
            [this](const kernel::KernelDesc& desc, const kernel::Schedule& schedule) {
              keep(desc, schedule);
            }};
  }

  /// New ones go to the cache together.
  Status write() {
    if (fresh_.empty()) return {};
    VTA_RETURN_IF_ERROR(cache_.begin());
    for (const auto& [key, text] : fresh_) VTA_RETURN_IF_ERROR(cache_.add("schedule", key, text));
    return cache_.commit();
  }

 private:
  std::string keyOf(const kernel::KernelDesc& desc) const {
    return tune::workloadText(desc) + "\n" + timing_;
  }

  std::optional<kernel::Schedule> find(const kernel::KernelDesc& desc) {
    const std::string key = keyOf(desc);
    if (const auto fresh = fresh_.find(key); fresh != fresh_.end()) {
      return *tune::parseSchedule(fresh->second);
    }
    const auto found = cache_.find("schedule", key);
    if (!found.ok() || !*found) return std::nullopt;
    const auto schedule = tune::parseSchedule(**found);
    return schedule.ok() ? std::optional(*schedule) : std::nullopt;
  }

  void keep(const kernel::KernelDesc& desc, const kernel::Schedule& schedule) {
    fresh_[keyOf(desc)] = tune::scheduleText(schedule);
  }

  Cache& cache_;
  std::string timing_;
  std::unordered_map<std::string, std::string> fresh_;
};

}  // namespace

Result<Evaluator> Evaluator::create(SweepConfig& sweep, ModelLibrary& library,
                                    EvaluatorOptions options) {
  VTA_ASSIGN_OR_RETURN(Cache cache, Cache::open(options.cache_file));
  return Evaluator(sweep, library, std::move(options), std::move(cache));
}

EvaluatorCounts Evaluator::counts() const {
  EvaluatorCounts counts = counts_;
  counts.accuracies = accuracies_.measured();
  return counts;
}

Result<size_t> Evaluator::addJob(const Point& point, size_t model) {
  Job job;
  job.model = model;
  job.batch = point.batch;
  job.hw = *point.hw;
  job.memory = point.memory;
  const ModelEntry& entry = sweep_->models[model];
  VTA_ASSIGN_OR_RETURN(job.outline_key, library_->outlineKey(entry, point.batch, *point.hw));
  model_hashes_[entry.name] = job.outline_key.substr(0, job.outline_key.find(' '));
  job.key =
      job.outline_key + "\n" + timingKey(job.hw, sweep_->memories[job.memory], sweep_->effort);
  const auto [found, is_new] = job_of_key_.emplace(job.key, jobs_.size());
  if (is_new) {
    jobs_.push_back(std::move(job));
  }
  return found->second;
}

/// Outlines from the cache; what is missing is made.
Status Evaluator::findOutlines(const std::vector<size_t>& wanted) {
  std::vector<OutlineJob> missing;
  for (const size_t number : wanted) {
    const std::string& key = jobs_[number].outline_key;
    if (outlines_.contains(key)) continue;
    VTA_ASSIGN_OR_RETURN(const std::optional<std::string> found, cache_.find("outline", key));
    Result<std::string> outline = found ? fromHex(*found) : internalError(kStopped);
    if (outline.ok() && decodeOutline(*outline).ok()) {
      outlines_.emplace(key, std::move(outline));
    } else {
      outlines_.emplace(key, internalError(kStopped));
      missing.push_back({number, key});
    }
  }
  return missing.empty() ? Status() : makeOutlines(std::move(missing));
}

Status Evaluator::makeOutlines(std::vector<OutlineJob> missing) {
  std::vector<size_t> ready;
  for (size_t i = 0; i < missing.size(); ++i) {
    const Job& job = jobs_[missing[i].job];
    if (options_.stop != nullptr && *options_.stop) return {};
    const ModelEntry& entry = sweep_->models[job.model];
    // The first of a model's outlines takes nearly all of the time.
    const auto tell = [&](const std::string& phase, int64_t done, int64_t total) {
      options_.progress(fmt::format("model {}: {}", entry.name, phase), done, total);
    };
    if (options_.progress)
      options_.progress("models", static_cast<int64_t>(i), std::ssize(missing));
    const Status status = library_->prepare(entry, job.batch, job.hw,
                                            options_.progress ? compiler::Progress(tell) : nullptr);
    if (status.ok()) {
      ready.push_back(i);
    } else {
      outlines_.insert_or_assign(missing[i].key, status);
    }
  }
  JobPool pool(options_.processes,
               {.timeout = options_.timeout, .tasks_of_a_process = kOutlinesOfAProcess});
  Status written;
  int64_t done = 0;
  if (options_.progress) options_.progress("outlines", 0, std::ssize(ready));
  const auto body = [&](size_t i) {
    const Job& job = jobs_[missing[i].job];
    return library_->outline(sweep_->models[job.model], job.batch, job.hw);
  };
  const auto finish = [&](size_t i, const Result<std::string>& result) {
    outlines_.insert_or_assign(missing[i].key, result);
    ++counts_.outlines;
    if (options_.progress) options_.progress("outlines", ++done, std::ssize(ready));
    if (!result.ok() || !written.ok()) return;
    written = cache_.add("outline", missing[i].key, toHex(*result));
  };
  VTA_RETURN_IF_ERROR(pool.run(ready, body, finish, options_.stop));
  return written;
}

/// In a process of its own.
Result<std::string> Evaluator::simulate(const Job& job, bool per_layer) {
  // Connections to SQLite do not survive a fork, so each process opens one.
  static std::unique_ptr<Cache> cache;
  static std::string decoded_key;
  static std::optional<compiler::ModuleOutline> decoded;
  if (cache == nullptr) {
    VTA_ASSIGN_OR_RETURN(Cache opened, Cache::open(options_.cache_file, Cache::Access::kExisting));
    cache = std::make_unique<Cache>(std::move(opened));
  }
  if (decoded_key != job.outline_key || !decoded) {
    VTA_ASSIGN_OR_RETURN(const std::string text, outlines_.at(job.outline_key));
    VTA_ASSIGN_OR_RETURN(decoded, decodeOutline(text));
    decoded_key = job.outline_key;
  }
  const NetworkJob network = networkJob(job, per_layer);
  KnownSchedules schedules(*cache, timingKey(network.hw, network.memory, network.effort));
  VTA_ASSIGN_OR_RETURN(std::string text, simulateNetwork(*decoded, network, schedules.memory()));
  VTA_RETURN_IF_ERROR(schedules.write());
  return text;
}

NetworkJob Evaluator::networkJob(const Job& job, bool per_layer) const {
  return {job.hw, sweep_->memories[job.memory], sweep_->effort, per_layer};
}

/// What became of a job: remembered, and kept in the cache.
Status Evaluator::finishJob(size_t number, const Result<std::string>& result, bool per_layer) {
  jobs_[number].result = result;
  if (!per_layer) ++(result.ok() ? counts_.networks : counts_.failed);
  if (!result.ok()) return {};
  return cache_.add(resultKind(per_layer), jobs_[number].key, *result);
}

Status Evaluator::runHere(const std::vector<size_t>& missing, bool per_layer) {
  JobPool pool(options_.processes, {.timeout = options_.timeout});
  Status written;
  int64_t done = 0;
  if (options_.progress) options_.progress("points", 0, std::ssize(missing));
  const auto finish = [&](size_t number, const Result<std::string>& result) {
    const Status status = finishJob(number, result, per_layer);
    if (written.ok()) written = status;
    if (options_.progress) options_.progress("points", ++done, std::ssize(missing));
  };
  VTA_RETURN_IF_ERROR(pool.run(
      missing, [&](size_t number) { return simulate(jobs_[number], per_layer); }, finish,
      options_.stop));
  return written;
}

Status Evaluator::runOnFarm(const std::vector<size_t>& missing, bool per_layer) {
  if (farm_ == nullptr) {
    VTA_ASSIGN_OR_RETURN(farm_, options_.start_farm());
  }
  for (size_t at = 0; at < missing.size();) {
    // Items of one batch have one outline.
    const std::string& outline_key = jobs_[missing[at]].outline_key;
    std::vector<size_t> batch;
    while (at < missing.size() && batch.size() < kJobsOfABatch &&
           jobs_[missing[at]].outline_key == outline_key) {
      batch.push_back(missing[at++]);
    }
    const Result<std::string>& outline = outlines_.at(outline_key);
    if (!outline.ok()) {
      for (const size_t number : batch) {
        VTA_RETURN_IF_ERROR(finishJob(number, outline.status(), per_layer));
      }
      continue;
    }
    std::vector<launcher::Json> items;
    for (const size_t number : batch)
      items.push_back(jobJson(networkJob(jobs_[number], per_layer)));
    const auto results = farm_->run(networkContext(*outline), items);
    for (size_t i = 0; i < batch.size(); ++i) {
      const auto result = networkResult(results[i]);
      if (result) VTA_RETURN_IF_ERROR(finishJob(batch[i], *result, per_layer));
    }
    VTA_RETURN_IF_ERROR(farm_->health());
    if (options_.progress) {
      options_.progress("points", static_cast<int64_t>(at), std::ssize(missing));
    }
    if (options_.stop != nullptr && *options_.stop) break;
  }
  return {};
}

Status Evaluator::runJobs(const std::vector<size_t>& wanted, bool per_layer) {
  const char* kind = resultKind(per_layer);
  std::vector<size_t> missing;
  for (const size_t number : wanted) {
    VTA_ASSIGN_OR_RETURN(const std::optional<std::string> found,
                         cache_.find(kind, jobs_[number].key));
    // What cannot be read is computed again, and takes its place.
    const bool is_legible =
        found && (per_layer ? decodeLayers(*found).ok() : decodeTime(*found).ok());
    if (is_legible) {
      jobs_[number].result = *found;
      if (!per_layer) ++counts_.reused;
    } else {
      jobs_[number].result = internalError(kStopped);
      missing.push_back(number);
    }
  }
  if (missing.empty()) return {};
  VTA_RETURN_IF_ERROR(findOutlines(missing));
  // Neighbours have the same outline, so that a process decodes it once.
  std::ranges::stable_sort(missing, {}, [this](size_t i) { return jobs_[i].outline_key; });
  return options_.start_farm ? runOnFarm(missing, per_layer) : runHere(missing, per_layer);
}

Result<std::vector<PointResult>> Evaluator::evaluate(std::vector<Point> points) {
  std::vector<PointResult> results(points.size());
  std::vector<std::vector<size_t>> jobs(points.size());
  std::vector<size_t> wanted;
  for (size_t i = 0; i < points.size(); ++i) {
    results[i].point = std::move(points[i]);
    if (!results[i].point.isLegal()) continue;
    for (size_t model = 0; model < sweep_->models.size(); ++model) {
      const size_t known = jobs_.size();
      VTA_ASSIGN_OR_RETURN(const size_t job, addJob(results[i].point, model));
      jobs[i].push_back(job);
      if (job >= known) {
        wanted.push_back(job);
      } else {
        ++counts_.shared;
      }
    }
  }
  // First, because samples that do not fit are noticed here, before hours of simulation.
  VTA_RETURN_IF_ERROR(accuracies_.find(results, cache_));
  VTA_RETURN_IF_ERROR(runJobs(wanted, false));
  for (size_t i = 0; i < results.size(); ++i) finishPoint(jobs[i], results[i]);
  return results;
}

Result<std::vector<std::vector<LayerTime>>> Evaluator::layers(const Point& point) {
  std::vector<size_t> wanted;
  for (size_t model = 0; model < sweep_->models.size(); ++model) {
    VTA_ASSIGN_OR_RETURN(const size_t job, addJob(point, model));
    wanted.push_back(job);
  }
  std::vector<Result<std::string>> kept;  // these jobs' own results
  for (const size_t job : wanted) kept.push_back(jobs_[job].result);
  const Status status = runJobs(wanted, true);
  std::vector<std::vector<LayerTime>> layers;
  for (size_t i = 0; i < wanted.size(); ++i) {
    std::swap(jobs_[wanted[i]].result, kept[i]);
    VTA_RETURN_IF_ERROR(status);
    VTA_RETURN_IF_ERROR(kept[i].status());
    VTA_ASSIGN_OR_RETURN(auto decoded, decodeLayers(*kept[i]));
    layers.push_back(std::move(decoded));
  }
  return layers;
}

void Evaluator::finishPoint(const std::vector<size_t>& jobs, PointResult& result) {
  result.values = result.point.values;
  if (!result.point.isLegal()) {
    result.error = result.point.reason;
    return;
  }
  for (const size_t job : jobs) {
    const Result<std::string>& text = jobs_[job].result;
    const auto time = text.ok() ? decodeTime(*text) : Result<NetworkTime>(text.status());
    if (!time.ok()) {
      const std::string& model = sweep_->models[jobs_[job].model].name;
      const bool is_stopped = time.status().message() == kStopped;
      result.error = is_stopped ? kStopped : fmt::format("{}: {}", model, time.status().message());
      result.is_failed = true;
      result.models.clear();
      return;
    }
    result.models.push_back({.time = *time});
  }
  for (size_t i = 0; i < result.models.size(); ++i) {
    accuracies_.add(sweep_->models[i], *result.point.hw, result.models[i]);
  }
  addResults(*sweep_, result);
  addObjectives(*sweep_, result);
}

}  // namespace vta::sweep
