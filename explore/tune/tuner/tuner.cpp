#include "explore/tune/tuner/tuner.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/clock.h"
#include "explore/tune/target/vta_task.h"
#include "explore/tune/tuner/task_search.h"

namespace vta::tune {

double TunedTask::provenGap() const {
  if (!best || floor_cycles == 0) return 0;
  return std::max(0.0, static_cast<double>(best->cycles) / static_cast<double>(floor_cycles) - 1);
}

Tuner::Tuner(Database* database, TuneOptions options, Progress progress)
    : database_(database),
      options_(options),
      keeper_(database, options.database_wait_seconds),
      progress_(std::move(progress)) {}

Result<std::vector<TunedTask>> Tuner::run(std::span<const Task> tasks, Measurer& measurer) {
  std::vector<std::unique_ptr<VtaTask>> kept;
  std::vector<TargetTask*> all;
  for (const Task& task : tasks) {
    kept.push_back(std::make_unique<VtaTask>(task, measurer));
    all.push_back(kept.back().get());
  }
  return run(all);
}

Result<std::vector<TunedTask>> Tuner::run(std::span<TargetTask* const> tasks) {
  std::vector<TunedTask> results;
  for (size_t i = 0; i < tasks.size(); ++i) {
    const std::string name = tasks[i]->stored().name;
    TuneProgress progress{.task = i, .tasks = tasks.size(), .name = name};
    if (options_.searcher->learns) VTA_RETURN_IF_ERROR(readPast(*tasks[i]));
    auto result = tune(*tasks[i], progress);
    if (!result.ok()) return result.status().withContext(name);
    results.push_back(*std::move(result));
    if (results.back().was_stopped) break;
  }
  VTA_RETURN_IF_ERROR(keeper_.flush());
  return results;
}

Result<TunedTask> Tuner::tune(TargetTask& task, TuneProgress progress) {
  VTA_RETURN_IF_ERROR(task.begin());
  TaskSearch search(task, database_, keeper_, options_, past_);
  VTA_RETURN_IF_ERROR(search.resume());
  const Clock::time_point start = Clock::now();
  while (!search.isDone()) {
    VTA_RETURN_IF_ERROR(search.step());
    if (!progress_) continue;
    progress.trials = search.trials();
    progress.wanted_trials = options_.trials;
    progress.best_cycles = search.bestCycles();
    progress.seconds = secondsSince(start);
    progress.share = search.share();
    progress_(progress);
  }
  VTA_ASSIGN_OR_RETURN(TunedTask result, search.finish());
  result.seconds = secondsSince(start);
  return result;
}

// Trials of other tasks, so that the model begins with what they taught. Those of this run come
// with them, because they are in the database too.
Status Tuner::readPast(const TargetTask& task) {
  if (database_ == nullptr) return {};
  const TaskKey own = task.stored().key;
  VTA_ASSIGN_OR_RETURN(const std::vector<TaskKey> keys, database_->tasks(task.source()));
  for (const TaskKey& key : keys) {
    if (key == own || std::ranges::find(known_, key) != known_.end()) continue;
    known_.push_back(key);
    VTA_ASSIGN_OR_RETURN(const auto trials, database_->trials(key, task.source()));
    const auto group = static_cast<uint32_t>(known_.size());
    const std::vector<Sample> samples = task.samplesOf(key, trials, group);
    past_.insert(past_.end(), samples.begin(), samples.end());
  }
  return {};
}

}  // namespace vta::tune
