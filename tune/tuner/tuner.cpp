#include "tune/tuner/tuner.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "tune/tuner/task_search.h"

namespace vta::tune {

double TunedTask::provenGap() const {
  if (!best || floor_cycles == 0) return 0;
  return std::max(0.0, static_cast<double>(best->cycles) / static_cast<double>(floor_cycles) - 1);
}

Tuner::Tuner(Measurer& measurer, Database* database, TuneOptions options, Progress progress)
    : measurer_(measurer), database_(database), options_(options), progress_(std::move(progress)) {}

Result<std::vector<TunedTask>> Tuner::run(std::span<const Task> tasks) {
  std::vector<TunedTask> results;
  for (size_t i = 0; i < tasks.size(); ++i) {
    TuneProgress progress{.task = i, .tasks = tasks.size(), .name = tasks[i].desc.name};
    if (options_.searcher->learns) VTA_RETURN_IF_ERROR(readPast(tasks[i]));
    auto result = tune(tasks[i], progress);
    if (!result.ok()) return result.status().withContext(tasks[i].desc.name);
    results.push_back(*std::move(result));
    if (results.back().was_stopped) break;
  }
  return results;
}

Result<TunedTask> Tuner::tune(const Task& task, TuneProgress progress) {
  VTA_ASSIGN_OR_RETURN(const Space space, Space::create(task));
  VTA_RETURN_IF_ERROR(measurer_.begin(task));
  TaskSearch search(task, space, measurer_, database_, options_, past_);
  VTA_RETURN_IF_ERROR(search.resume());
  const Clock::time_point start = Clock::now();
  while (!search.isDone()) {
    VTA_RETURN_IF_ERROR(search.step());
    if (!progress_) continue;
    progress.trials = search.trials();
    progress.wanted_trials = options_.trials;
    progress.best_cycles = search.bestCycles();
    progress.seconds = secondsSince(start);
    progress_(progress);
  }
  VTA_ASSIGN_OR_RETURN(TunedTask result, search.finish());
  result.seconds = secondsSince(start);
  return result;
}

// Trials of other tasks, so that the model begins with what they taught. Those of this run come
// with them, because they are in the database too.
Status Tuner::readPast(const Task& task) {
  if (database_ == nullptr) return {};
  const TaskKey own = keyOf(task);
  VTA_ASSIGN_OR_RETURN(const std::vector<TaskKey> keys, database_->tasks(measurer_.source()));
  for (const TaskKey& key : keys) {
    if (key == own || std::ranges::find(known_, key) != known_.end()) continue;
    known_.push_back(key);
    const Result<Task> other = parseTask(key);
    if (!other.ok()) continue;  // of an older version: nothing to learn from it
    VTA_ASSIGN_OR_RETURN(const auto trials, database_->trials(key, measurer_.source()));
    const auto group = static_cast<uint32_t>(known_.size());
    const std::vector<Sample> samples = samplesOf(*other, trials, group);
    past_.insert(past_.end(), samples.begin(), samples.end());
  }
  return {};
}

}  // namespace vta::tune
