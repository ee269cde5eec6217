#include "tools/vta_tune/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "tools/common/terminal.h"

namespace vta::tools {
namespace {

using Align = Table::Align;
using Json = nlohmann::ordered_json;
using tune::Task;
using tune::TunedTask;

std::string percent(double share) { return fmt::format("{:.1f}", 100 * share); }

std::string layersOf(const Task& task) {
  if (task.layers.size() < 2) return task.desc.name;
  return fmt::format("{} and {} more", task.desc.name, task.layers.size() - 1);
}

double gainOf(const TunedTask& result) {
  if (!result.best || result.default_cycles == 0) return 0;
  return 1 - static_cast<double>(result.best->cycles) / static_cast<double>(result.default_cycles);
}

/// A schedule in short.
std::string scheduleLabel(const std::string& text) {
  if (const auto vta = tune::parseSchedule(text); vta.ok()) return vta->toString();
  const Json fields = Json::parse(text, nullptr, false);
  if (!fields.is_object()) return text;
  std::string label;
  for (const auto& [name, value] : fields.items()) {
    label += fmt::format("{}{} {}", label.empty() ? "" : ", ", name, value.dump());
  }
  return label;
}

std::string gapText(double gap) { return gap == 0 ? "optimum" : percent(gap); }

/// How many schedules each rule of legality rejected, all tasks together; "" if none did.
std::string rejectedText(std::span<const TunedTask> results) {
  std::map<std::string, int64_t> by_rule;
  int64_t sum = 0;
  for (const TunedTask& result : results) {
    for (const auto& [rule, count] : result.rejected) {
      by_rule[rule] += count;
      sum += count;
    }
  }
  if (sum == 0) return "";
  std::vector<std::pair<std::string, int64_t>> rules(by_rule.begin(), by_rule.end());
  std::ranges::stable_sort(rules, std::greater<>{}, &std::pair<std::string, int64_t>::second);
  std::string text =
      fmt::format("{} schedules are not legal:", formatCount(static_cast<uint64_t>(sum)));
  const char* separator = " ";
  for (const auto& [rule, count] : rules) {
    text += fmt::format("{}{}: {}", std::exchange(separator, "; "), rule,
                        formatCount(static_cast<uint64_t>(count)));
  }
  return text + "\n";
}

/// A warning if the processor's clock changed while some trials were measured; else "".
std::string unsteadyText(std::span<const TunedTask> results) {
  int64_t unsteady = 0, trials = 0;
  for (const TunedTask& result : results) {
    unsteady += result.unsteady_trials;
    trials += result.trials;
  }
  if (unsteady == 0) return "";
  return fmt::format(
      "warning: the processor's clock changed during {} of {} trials, which may rank schedules "
      "wrongly: close other programs, or fix the clock, and tune again with another database\n",
      formatCount(static_cast<uint64_t>(unsteady)), formatCount(static_cast<uint64_t>(trials)));
}

struct Sum {
  uint64_t default_cycles = 0;
  uint64_t best_cycles = 0;
  uint64_t floor_cycles = 0;
  int64_t trials = 0;
  int64_t failed = 0;
  double seconds = 0;
};

Sum sumOf(std::span<const Task> tasks, std::span<const TunedTask> results) {
  Sum sum;
  for (size_t i = 0; i < results.size(); ++i) {
    const uint64_t layers = tasks[i].layers.size();
    const TunedTask& result = results[i];
    sum.default_cycles += layers * result.default_cycles;
    sum.best_cycles += layers * (result.best ? result.best->cycles : result.default_cycles);
    sum.floor_cycles += layers * result.floor_cycles;
    sum.trials += result.new_trials;
    sum.failed += result.failed_trials;
    sum.seconds += result.seconds;
  }
  return sum;
}

}  // namespace

std::string tunedTable(std::span<const Task> tasks, std::span<const TunedTask> results,
                       std::span<const double> agreements) {
  std::vector<Table::Column> columns = {{"layers"},
                                        {"memory"},
                                        {"schedules", Align::kRight},
                                        {"trials", Align::kRight},
                                        {"default cycles", Align::kRight},
                                        {"best cycles", Align::kRight},
                                        {"gain (%)", Align::kRight},
                                        {"proven gap (%)", Align::kRight}};
  if (!agreements.empty()) columns.push_back({"rank agreement", Align::kRight});
  Table table(std::move(columns));
  for (size_t i = 0; i < results.size(); ++i) {
    const TunedTask& result = results[i];
    std::vector<std::string> cells = {layersOf(tasks[i]),
                                      tasks[i].memory.name,
                                      formatCount(result.schedules),
                                      formatCount(static_cast<uint64_t>(result.trials)),
                                      formatCount(result.default_cycles),
                                      result.best ? formatCount(result.best->cycles) : "",
                                      percent(gainOf(result)),
                                      result.best ? gapText(result.provenGap()) : ""};
    if (!agreements.empty()) cells.push_back(fmt::format("{:.3f}", agreements[i]));
    table.addRow(std::move(cells));
  }
  const Sum sum = sumOf(tasks, results);
  const double gap = sum.floor_cycles == 0
                         ? 0
                         : std::max(0.0, static_cast<double>(sum.best_cycles) /
                                                 static_cast<double>(sum.floor_cycles) -
                                             1);
  std::string text = table.toString();
  text += fmt::format(
      "all layers: {} cycles by default, {} tuned; proven within {:.1f} % of the "
      "fastest schedules there are\n",
      formatCount(sum.default_cycles), formatCount(sum.best_cycles), 100 * gap);
  text +=
      fmt::format("{} new trials in {}, {:.0f} a second; {} failed\n",
                  formatCount(static_cast<uint64_t>(sum.trials)), formatSeconds(sum.seconds),
                  sum.seconds > 0 ? static_cast<double>(sum.trials) / sum.seconds : 0, sum.failed);
  return text + rejectedText(results);
}

Json tunedJson(std::span<const Task> tasks, std::span<const TunedTask> results,
               std::span<const double> agreements) {
  Json json = {{"tasks", Json::array()}};
  for (size_t i = 0; i < results.size(); ++i) {
    const TunedTask& result = results[i];
    Json task = {{"layers", tasks[i].layers},
                 {"hw", tasks[i].hw.name()},
                 {"memory", tasks[i].memory.name},
                 {"schedules", result.schedules},
                 {"rejected", result.rejected},
                 {"trials", result.trials},
                 {"new_trials", result.new_trials},
                 {"failed_trials", result.failed_trials},
                 {"impossible_trials", result.impossible_trials},
                 {"seconds", result.seconds},
                 {"default_cycles", result.default_cycles},
                 {"floor_cycles", result.floor_cycles}};
    if (!agreements.empty()) task["rank_agreement"] = agreements[i];
    if (result.best) {
      task["best_cycles"] = result.best->cycles;
      task["schedule"] = Json::parse(result.best->schedule);
      task["proven_gap"] = result.provenGap();
    }
    json["tasks"].push_back(std::move(task));
  }
  return json;
}

std::string tunedTimesTable(std::span<const std::vector<std::string>> layers,
                            std::span<const TunedTask> results, std::string_view where) {
  Table table({{"layers"},
               {"schedules", Align::kRight},
               {"trials", Align::kRight},
               {"default us", Align::kRight},
               {"best us", Align::kRight},
               {"faster", Align::kRight},
               {"schedule"}});
  double by_default = 0, tuned = 0, seconds = 0;
  int64_t trials = 0, failed = 0;
  for (size_t i = 0; i < results.size(); ++i) {
    const TunedTask& result = results[i];
    const double own = static_cast<double>(result.default_cycles) * 1e-3;
    const double best = result.best ? static_cast<double>(result.best->cycles) * 1e-3 : own;
    const std::vector<std::string>& names = layers[i];
    table.addRow({names.size() < 2 ? names.front()
                                   : fmt::format("{} and {} more", names.front(), names.size() - 1),
                  formatCount(result.schedules), formatCount(static_cast<uint64_t>(result.trials)),
                  fmt::format("{:.1f}", own), fmt::format("{:.1f}", best),
                  fmt::format("{:.2f}x", best > 0 ? own / best : 1.0),
                  result.best ? scheduleLabel(result.best->schedule) : ""});
    by_default += own * static_cast<double>(names.size());
    tuned += best * static_cast<double>(names.size());
    seconds += result.seconds;
    trials += result.new_trials;
    failed += result.failed_trials;
  }
  return table.toString() +
         fmt::format(
             "all layers {}: {:.2f} ms by default, {:.2f} ms tuned: {:.2f}x\n"
             "{} new trials in {}, {:.1f} a second; {} failed\n",
             where, by_default * 1e-3, tuned * 1e-3, tuned > 0 ? by_default / tuned : 1.0,
             formatCount(static_cast<uint64_t>(trials)), formatSeconds(seconds),
             seconds > 0 ? static_cast<double>(trials) / seconds : 0, failed) +
         rejectedText(results) + unsteadyText(results);
}

Json tunedTimesJson(std::span<const std::vector<std::string>> layers,
                    const std::pair<std::string, std::string>& machine,
                    std::span<const TunedTask> results) {
  Json json = {{"tasks", Json::array()}};
  for (size_t i = 0; i < results.size(); ++i) {
    const TunedTask& result = results[i];
    Json task = {{"layers", layers[i]},
                 {machine.first, machine.second},
                 {"schedules", result.schedules},
                 {"rejected", result.rejected},
                 {"trials", result.trials},
                 {"new_trials", result.new_trials},
                 {"failed_trials", result.failed_trials},
                 {"unsteady_trials", result.unsteady_trials},
                 {"seconds", result.seconds},
                 {"default_ns", result.default_cycles}};
    if (result.best) {
      task["best_ns"] = result.best->cycles;
      task["schedule"] = Json::parse(result.best->schedule);
    }
    json["tasks"].push_back(std::move(task));
  }
  return json;
}

std::string networksText(std::span<const TunedNetwork> networks) {
  std::string text;
  for (const auto& [memory, record] : networks) {
    const double share =
        record.untuned_cycles == 0
            ? 1
            : static_cast<double>(record.cycles) / static_cast<double>(record.untuned_cycles);
    text += fmt::format(
        "the network with memory {}, where layers overlap: {} cycles untuned, {} with all of these "
        "schedules; kept are {} of {} with {} cycles, {} % fewer than untuned\n",
        memory, formatCount(record.untuned_cycles), formatCount(record.tuned_cycles),
        record.tunedCount(), record.schedules.size(), formatCount(record.cycles),
        percent(1 - share));
  }
  return text;
}

Json networksJson(std::span<const TunedNetwork> networks) {
  Json json = Json::array();
  for (const auto& [memory, record] : networks) {
    json.push_back({{"memory", memory},
                    {"untuned_cycles", record.untuned_cycles},
                    {"tuned_cycles", record.tuned_cycles},
                    {"cycles", record.cycles},
                    {"kept", record.tunedCount()},
                    {"kernels", record.schedules.size()},
                    {"runs", record.runs}});
  }
  return json;
}

std::string databaseTable(std::span<const tune::TaskSummary> summaries) {
  Table table({{"layer"},
               {"accelerator"},
               {"memory"},
               {"source"},
               {"trials", Align::kRight},
               {"failed", Align::kRight},
               {"best cycles", Align::kRight},
               {"proven gap (%)", Align::kRight},
               {"schedule"}});
  for (const tune::TaskSummary& summary : summaries) {
    std::string gap;
    if (summary.best && summary.proof) {
      TunedTask task;
      task.best = summary.best;
      task.floor_cycles = summary.proof->floor_cycles;
      gap = gapText(task.provenGap());
    }
    table.addRow({summary.task.name, summary.task.hw, summary.task.memory, summary.source,
                  formatCount(static_cast<uint64_t>(summary.trials)),
                  formatCount(static_cast<uint64_t>(summary.failed)),
                  summary.best ? formatCount(summary.best->cycles) : "", gap,
                  summary.best ? scheduleLabel(summary.best->schedule) : ""});
  }
  return table.toString();
}

Json databaseJson(std::span<const tune::TaskSummary> summaries) {
  Json json = {{"tasks", Json::array()}};
  for (const tune::TaskSummary& summary : summaries) {
    Json task = {{"layer", summary.task.name},
                 {"hw", summary.task.hw},
                 {"memory", summary.task.memory},
                 {"source", summary.source},
                 {"trials", summary.trials},
                 {"failed_trials", summary.failed},
                 {"lost_workers", summary.lost_workers},
                 {"unsteady_trials", summary.unsteady}};
    if (summary.best) {
      task["best_cycles"] = summary.best->cycles;
      task["schedule"] = Json::parse(summary.best->schedule);
    }
    if (summary.proof) task["floor_cycles"] = summary.proof->floor_cycles;
    json["tasks"].push_back(std::move(task));
  }
  return json;
}

}  // namespace vta::tools
