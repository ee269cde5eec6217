#include "tools/vta_sweep/point_watch.h"

#include <fmt/format.h>

#include "explore/sweep/results/results_json.h"
#include "tools/common/main/stop_flag.h"
#include "tools/common/terminal.h"
#include "tools/vta_sweep/options.h"

namespace vta::tools {

Status PointWatch::begin(const std::string& file) {
  return page_.begin(file, sweep_.name.empty() ? "VTA sweep" : sweep_.name,
                     {"so far", "value", "point"});
}

void PointWatch::show(const std::vector<sweep::PointResult>& results) {
  for (const sweep::PointResult& result : results) {
    const double count = static_cast<double>(++counts_[sweep::statusOf(result)]);
    page_.setRow(fmt::format("points: {}", sweep::statusOf(result)), {fmt::format("{}", count), ""},
                 count);
    if (result.is_feasible) showBest(result);
  }
}

void PointWatch::showBest(const sweep::PointResult& result) {
  for (size_t i = 0; i < result.objectives.size(); ++i) {
    const sweep::Objective& objective = sweep_.objectives[i];
    const auto [best, is_first] = best_.emplace(i, result.objectives[i]);
    if (!is_first && best->second <= result.objectives[i]) continue;
    best->second = result.objectives[i];
    const double value = objective.maximise ? -best->second : best->second;
    page_.setRow(
        fmt::format("{} {}", objective.maximise ? "most" : "least", objective.expression.text()),
        {fmt::format("{:.6g}", value), describeAxes(sweep_, result.point)}, value);
  }
}

void PointWatch::finish() {
  page_.finish(stopFlag() ? "was stopped" : "is done");
  if (!page_.status().ok()) reportWarning(kSweepTool, page_.status().message());
}

}  // namespace vta::tools
