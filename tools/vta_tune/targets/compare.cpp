#include "tools/vta_tune/targets/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "explore/tune/search/registry.h"
#include "explore/tune/tuner/comparison.h"
#include "tools/common/files.h"
#include "tools/common/main/stop_flag.h"
#include "tools/common/print.h"
#include "tools/common/progress/progress_line.h"
#include "tools/common/terminal.h"
#include "tools/html/html_page.h"
#include "tools/vta_tune/page_files.h"
#include "tools/vta_tune/target.h"
#include "tools/vta_tune/watch.h"

namespace vta::tools {
namespace {

using Json = nlohmann::ordered_json;
using tune::Convergence;
using tune::TaskPicture;

constexpr double kClose = 1.02;

/// Trials until a search was within 2 % of the best of all; as many as it had and one if it never
/// was.
size_t trialsToClose(const Convergence& search, uint64_t best) {
  const double wanted = kClose * static_cast<double>(best);
  const auto found = std::ranges::find_if(
      search.best, [&](uint64_t cycles) { return static_cast<double>(cycles) <= wanted; });
  return static_cast<size_t>(found - search.best.begin()) + 1;
}

struct Spread {
  size_t least = 0, median = 0, most = 0;
};
Spread spreadOf(std::vector<size_t> values) {
  std::ranges::sort(values);
  return {values.front(), values[values.size() / 2], values.back()};
}

/// Of every searcher, the trials to within 2 % over its seeds.
std::vector<std::pair<std::string, Spread>> spreads(const TaskPicture& picture) {
  std::vector<std::pair<std::string, std::vector<size_t>>> trials;
  for (const Convergence& search : picture.searches) {
    if (trials.empty() || trials.back().first != search.searcher) {
      trials.push_back({search.searcher, {}});
    }
    trials.back().second.push_back(trialsToClose(search, picture.best_cycles));
  }
  std::vector<std::pair<std::string, Spread>> result;
  for (auto& [searcher, values] : trials) {
    result.emplace_back(searcher, spreadOf(std::move(values)));
  }
  return result;
}

std::string comparisonTable(std::span<const TaskPicture> pictures) {
  using Align = Table::Align;
  Table table({{"layer"},
               {"searcher"},
               {"trials to within 2 % of the best: median", Align::kRight},
               {"least", Align::kRight},
               {"most", Align::kRight}});
  for (const TaskPicture& picture : pictures) {
    for (const auto& [searcher, spread] : spreads(picture)) {
      table.addRow({picture.name, searcher, formatCount(spread.median), formatCount(spread.least),
                    formatCount(spread.most)});
    }
  }
  return table.toString();
}

Json pictureJson(const TaskPicture& picture) {
  Json json = {{"name", picture.name},
               {"machine", picture.machine},
               {"layers", picture.layers},
               {"default_cycles", picture.default_cycles},
               {"best_cycles", picture.best_cycles},
               {"floor_cycles", picture.floor_cycles},
               {"searches", Json::array()},
               {"predictions", Json::array()}};
  for (const Convergence& search : picture.searches) {
    json["searches"].push_back({{"searcher", search.searcher},
                                {"seed", search.seed},
                                {"best", search.best},
                                {"seconds", search.seconds}});
  }
  for (const tune::Prediction& prediction : picture.predictions) {
    json["predictions"].push_back({prediction.predicted, prediction.measured});
  }
  return json;
}

/// Of a model that learned from all trials of all tasks.
Result<Json> importanceJson(std::span<const TaskPicture> pictures,
                            std::span<const std::string_view> names) {
  std::vector<tune::Sample> samples;
  for (size_t i = 0; i < pictures.size(); ++i) {
    for (tune::Sample sample : pictures[i].samples) {
      sample.group = static_cast<uint32_t>(i);
      samples.push_back(sample);
    }
  }
  Json json = Json::array();
  if (samples.size() < 4) return json;
  tune::CostModel model({});
  VTA_RETURN_IF_ERROR(model.fit(samples));
  VTA_ASSIGN_OR_RETURN(const auto shares, model.importance(names));
  for (const auto& [name, share] : shares) json.push_back({name, share});
  return json;
}

Result<Json> comparisonJson(std::span<const TaskPicture> pictures, const tune::TargetTask& first,
                            const TuneToolOptions& options) {
  Json json = {{"title", "Schedules of " + options.model},
               {"command", fmt::format("{} trials a search, {} seeds, measured on: {}",
                                       options.trials > 0 ? options.trials : 100, options.seeds,
                                       first.source())},
               {"unit", tuneTarget(options.target).unit},
               {"tasks", Json::array()}};
  for (const TaskPicture& picture : pictures) json["tasks"].push_back(pictureJson(picture));
  VTA_ASSIGN_OR_RETURN(json["importance"], importanceJson(pictures, first.featureNames()));
  return json;
}

Status writePage(const std::string& file, const Json& json) {
  const std::string page = htmlPage({kTunePage, kTuneStyle, kTuneScript}, json);
  return writeFile(file, std::as_bytes(std::span(page)));
}

}  // namespace

Status compareOnTasks(std::span<tune::TargetTask* const> tasks, std::span<const size_t> layers,
                      const TuneToolOptions& options, const tune::CostModel* prior,
                      tune::Database& database) {
  tune::ComparisonOptions comparison;
  for (const std::string& name : options.compared) {
    VTA_ASSIGN_OR_RETURN(comparison.searchers.emplace_back(), tune::findSearcher(name));
  }
  if (options.trials > 0) comparison.trials = options.trials;
  comparison.seeds = options.seeds;
  comparison.prior = prior;
  comparison.stop = &stopFlag();
  comparison.database_wait_seconds = options.database_wait_seconds;
  std::vector<TaskPicture> pictures;
  WatchPage page;
  VTA_RETURN_IF_ERROR(beginWatching(options, page));
  ProgressLine line(&page);
  for (size_t i = 0; i < tasks.size() && !stopFlag(); ++i) {
    const std::string name = tasks[i]->stored().name;
    comparison.progress = [&](double share, const std::string& search) {
      line.update("compare", static_cast<double>(i) + share, static_cast<int64_t>(tasks.size()),
                  name + ", " + search);
    };
    VTA_ASSIGN_OR_RETURN(TaskPicture picture,
                         compareSearchers(*tasks[i], layers[i], &database, comparison));
    if (!picture.samples.empty()) pictures.push_back(std::move(picture));
  }
  line.clear();
  endWatching(page, {});
  if (stopFlag()) {
    return {StatusCode::kDeadlineExceeded,
            fmt::format("stopped by {}: a comparison needs all of its searches, so there is none; "
                        "'{}' has the trials",
                        stopSignalName(), options.database)};
  }
  if (pictures.empty()) return {};
  VTA_ASSIGN_OR_RETURN(const Json json, comparisonJson(pictures, *tasks.front(), options));
  if (options.json) {
    printRaw(json.dump(2) + "\n");
  } else {
    printText(comparisonTable(pictures));
  }
  return options.html_file.empty() ? Status() : writePage(options.html_file, json);
}

}  // namespace vta::tools
