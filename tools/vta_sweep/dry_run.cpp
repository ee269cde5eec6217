#include "tools/vta_sweep/dry_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "explore/sweep/evaluate/model_library.h"
#include "explore/sweep/network/outline_key.h"
#include "explore/sweep/search/searcher.h"
#include "tools/common/terminal.h"

namespace vta::tools {
namespace {

// Measured with ResNet-18 (docs/sweep.md); smaller networks take less.
constexpr double kEstimatedSeconds = 0.25;
constexpr double kSimulatedSeconds = 2.0;
constexpr double kTrialSeconds = 0.1;  // one for each kernel of the network

struct RuleCount {
  int64_t points = 0;
  std::string example;
};

double secondsOf(const sweep::Effort& effort) {
  if (effort.kind == sweep::Effort::kEstimated) return kEstimatedSeconds;
  if (effort.kind == sweep::Effort::kSimulated) return kSimulatedSeconds;
  return kTrialSeconds * static_cast<double>(effort.trials);
}

std::string remarksOf(const sweep::SweepConfig& sweep) {
  std::string text;
  for (const std::string& remark : sweep.calibration.remarks) {
    text += fmt::format("calibration: {}\n", remark);
  }
  return text;
}

}  // namespace

Result<std::string> describeSweep(const sweep::SweepConfig& sweep, sweep::SweepSpace& space,
                                  int processes) {
  if (space.size() > sweep::kMostEnumerated) {
    return remarksOf(sweep) +
           fmt::format("{} points: too many to count the illegal ones; {} evaluates {} of them\n",
                       formatCount(space.size()), sweep.search.method, sweep.search.evaluations);
  }
  int64_t legal = 0;
  int64_t equal = 0;
  std::map<std::string, RuleCount> rules;
  const bool has_accuracy = std::ranges::any_of(
      sweep.models, [](const auto& model) { return model.accuracy.has_value(); });
  std::set<std::string> quantisations;
  for (uint64_t number = 0; number < space.size(); ++number) {
    const sweep::Point point = space.point(space.choicesOf(number));
    if (point.number != number) {
      ++equal;
    } else if (point.isLegal()) {
      ++legal;
      if (has_accuracy) quantisations.insert(sweep::quantizerText(point.hw->params()));
    } else {
      RuleCount& count = rules[point.rule];
      if (count.points++ == 0) count.example = point.reason;
    }
  }
  std::string text = remarksOf(sweep);
  text += fmt::format("{} points, {} of them legal\n",
                      formatCount(space.size() - static_cast<uint64_t>(equal)),
                      formatCount(static_cast<uint64_t>(legal)));
  if (equal > 0)
    text += fmt::format("{} more are equal to one of these by their conditions\n", equal);
  std::vector<std::pair<std::string, RuleCount>> sorted(rules.begin(), rules.end());
  std::ranges::stable_sort(sorted, std::greater(),
                           [](const auto& entry) { return entry.second.points; });
  for (const auto& [rule, count] : sorted) {
    text += fmt::format("{} illegal: {}\n", count.points, count.example);
  }
  for (const sweep::ModelEntry& model : sweep.models) {
    if (!model.accuracy) continue;
    text += fmt::format("accuracy of {}: {} measurements at most, one for each way of quantising\n",
                        model.name, quantisations.size());
  }
  const int64_t evaluated = sweep.search.method == "enumerate"
                                ? legal
                                : std::min<int64_t>(legal, sweep.search.evaluations);
  const double each = secondsOf(sweep.effort);
  const double seconds =
      static_cast<double>(evaluated) * static_cast<double>(sweep.models.size()) * each / processes;
  return text + fmt::format(
                    "{} evaluations of {} networks with {} schedules: about {} with {} "
                    "processes for networks of the size of ResNet-18\n",
                    evaluated, sweep.models.size(), effortName(sweep.effort),
                    formatSeconds(seconds), processes);
}

}  // namespace vta::tools
