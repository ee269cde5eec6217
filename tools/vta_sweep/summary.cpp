#include "tools/vta_sweep/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tools/common/terminal.h"
#include "tools/vta_sweep/accuracy_meter.h"
#include "tools/vta_sweep/options.h"

namespace vta::tools {
namespace {

/// Each reason once, with the number of its points and the first one's words.
std::string reasonsText(const std::vector<sweep::PointResult>& points) {
  std::map<std::string, std::pair<int64_t, std::string>> reasons;
  for (const sweep::PointResult& result : points) {
    if (result.is_feasible) continue;
    const std::string& rule = result.point.rule.empty() ? result.error : result.point.rule;
    auto& [count, example] = reasons[rule];
    if (count++ == 0) example = result.error;
  }
  std::string text;
  for (const auto& [rule, reason] : reasons) {
    text +=
        fmt::format("{} points without a place on the front: {}\n", reason.first, reason.second);
  }
  return text;
}

std::string countsText(const std::vector<sweep::PointResult>& points,
                       const sweep::EvaluatorCounts& counts) {
  std::map<std::string, int64_t> statuses;
  for (const sweep::PointResult& result : points) ++statuses[sweep::statusOf(result)];
  return fmt::format(
             "{} points: {} with results, {} illegal, {} excluded by constraints, {} failed\n",
             points.size(), statuses["ok"], statuses["illegal"], statuses["constraint"],
             statuses["failed"]) +
         fmt::format(
             "{} networks simulated, {} taken from the cache, {} equal to another point's\n",
             counts.networks, counts.reused, counts.shared);
}

std::string frontTable(const sweep::SweepConfig& sweep, const sweep::SweepResults& results) {
  std::vector<Table::Column> columns = {{"point", Table::Align::kLeft}};
  for (const sweep::Objective& objective : sweep.objectives) {
    columns.push_back({objective.expression.text(), Table::Align::kRight});
  }
  Table table(columns);
  constexpr size_t kMostRows = 40;
  for (size_t i = 0; i < std::min(kMostRows, results.front.size()); ++i) {
    const sweep::PointResult& result = results.points[results.front[i]];
    std::vector<std::string> cells = {describeAxes(sweep, result.point)};
    for (size_t k = 0; k < result.objectives.size(); ++k) {
      const double value = result.objectives[k];
      cells.push_back(fmt::format("{:.6g}", sweep.objectives[k].maximise ? -value : value));
    }
    table.addRow(cells);
  }
  std::string text =
      fmt::format("Pareto front: {} points\n{}", results.front.size(), table.toString());
  if (results.front.size() > kMostRows) text += "... (--csv or --output has all of them)\n";
  return text;
}

}  // namespace

std::string sweepSummary(const sweep::SweepConfig& sweep, const sweep::SweepResults& results,
                         const sweep::EvaluatorCounts& counts, const std::string& remark) {
  std::string text = reasonsText(results.points) + countsText(results.points, counts);
  if (!remark.empty()) text += remark + "\n";
  return text + accuracyText(sweep, results.points) + frontTable(sweep, results);
}

void warnOfClocks(const sweep::SweepConfig& sweep, const std::vector<sweep::PointResult>& points) {
  std::map<std::string, int64_t> warnings;
  int64_t unsaid = 0;
  for (const sweep::PointResult& result : points) {
    const std::string warning = sweep::clockWarning(sweep, result.point);
    if (warning.empty() || result.models.empty()) continue;
    ++warnings[warning];
    ++unsaid;
  }
  constexpr size_t kMostWarnings = 3;
  size_t shown = 0;
  for (const auto& [warning, count] : warnings) {
    if (shown++ == kMostWarnings) break;
    reportWarning(kSweepTool, fmt::format("{} (points: {})", warning, count));
    unsaid -= count;
  }
  if (unsaid == 0) return;
  reportWarning(kSweepTool,
                fmt::format("{} more points have a clock above an estimate; clock_warning in the "
                            "results says which",
                            unsaid));
}

}  // namespace vta::tools
