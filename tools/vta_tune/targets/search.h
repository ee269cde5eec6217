// What searches for all targets have in common: limits, the database's record of the run, progress,
// and the end.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "explore/tune/tuner/tuner.h"
#include "tools/vta_tune/options.h"

namespace vta::tools {

/// How many layers each task stands for.
template <typename AnyTask>
std::vector<size_t> layerCounts(const std::vector<AnyTask>& tasks) {
  std::vector<size_t> counts;
  for (const AnyTask& task : tasks) counts.push_back(task.layers.size());
  return counts;
}

/// Their names.
template <typename AnyTask>
std::vector<std::vector<std::string>> layerNames(const std::vector<AnyTask>& tasks) {
  std::vector<std::vector<std::string>> names;
  for (const AnyTask& task : tasks) names.push_back(task.layers);
  return names;
}

/// How a search goes on that has been interrupted.
std::string nothingIsLost(const TuneToolOptions& options);

/// The error of what a signal has stopped; `what` is left.
Status stopped(const std::string& what);

/// The record of this run: that of --resume, or a new one.
Result<tune::RunRecord> beginRun(const TuneToolOptions& options, tune::Database& database);

/// Has `search` run a tuner, with progress on the terminal and on the page of --watch. `prior` may
/// be null.
Result<std::vector<tune::TunedTask>> runSearch(
    const TuneToolOptions& options, const tune::RunRecord& run, const tune::CostModel* prior,
    tune::Database& database,
    const std::function<Result<std::vector<tune::TunedTask>>(tune::Tuner&)>& search);

/// Prints the text, or JSON of the whole run alone: half a search is no result for programs.
Status endRun(const tune::RunRecord& run, const TuneToolOptions& options,
              const nlohmann::ordered_json& json, const std::string& text,
              tune::Database& database);

}  // namespace vta::tools
