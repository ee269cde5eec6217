#include "tools/vta_run/full/html_timeline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>

#include "isa/program/text/assembler.h"
#include "tools/vta_run/full/timeline.h"

namespace vta::tools {
namespace {

using Json = nlohmann::ordered_json;

// What a browser still draws and moves smoothly.
constexpr size_t kMaxBars = 20000;
// Beyond that the page would be too big; it says so.
constexpr size_t kMaxTokens = 50000;

/// Numbers of rows, in the order of the tracks; tracks without instructions have none.
class Rows {
 public:
  explicit Rows(const Timeline& timeline) {
    numbers_.fill(-1);
    for (const TimelineBar& bar : timeline.bars) {
      int& number = numbers_[static_cast<size_t>(bar.track)];
      if (number >= 0) continue;
      number = static_cast<int>(names_.size());
      names_.push_back(unitTrackName(bar.track));
    }
  }

  int of(UnitTrack track) const { return numbers_[static_cast<size_t>(track)]; }
  const Json& names() const { return names_; }

 private:
  std::array<int, kUnitTracks> numbers_{};
  Json names_ = Json::array();
};

/// [row from, cycle pushed, row to, cycle popped, direction], and the directions' names.
Json tokensJson(const Timeline& timeline, const Rows& rows) {
  Json names = Json::array();
  Json tokens = Json::array();
  std::map<std::string, size_t> numbers;
  for (const TimelineToken& token : timeline.tokens) {
    if (tokens.size() == kMaxTokens) break;
    const auto [number, is_new] = numbers.try_emplace(token.name, numbers.size());
    if (is_new) names.push_back(token.name);
    tokens.push_back(Json::array({rows.of(token.from), token.pushed_cycle, rows.of(token.to),
                                  token.popped_cycle, number->second}));
  }
  return {
      {"count", timeline.tokens.size()}, {"names", std::move(names)}, {"all", std::move(tokens)}};
}

/// [cycle, percent of fetch, of load, of compute, of store] from that cycle on.
Json busJson(const Timeline& timeline) {
  Json windows = Json::array();
  const auto rounded = [](double percent) { return std::round(10 * percent) / 10; };
  for (const TimelineBus& bus : timeline.bus) {
    windows.push_back(
        Json::array({bus.begin_cycle, rounded(bus.percent[0]), rounded(bus.percent[1]),
                     rounded(bus.percent[2]), rounded(bus.percent[3])}));
  }
  return windows;
}

/// The bars, and the texts that they name by number: many instructions have the same.
void addBars(const Timeline& timeline, const Rows& rows, Json& json) {
  Json bars = Json::array();
  Json texts = Json::array();
  std::map<std::string, size_t> numbers;
  for (const TimelineBar& bar : timeline.bars) {
    const std::string text = bar.instructions == 1 ? disassemble(*bar.instruction) : "";
    const auto [number, is_new] = numbers.try_emplace(text, numbers.size());
    if (is_new) texts.push_back(text);
    bars.push_back(Json::array({rows.of(bar.track), bar.begin_cycle, bar.end_cycle,
                                bar.work_begin_cycle, bar.work_end_cycle, bar.layer,
                                bar.first_instruction, bar.instructions, number->second}));
  }
  json["texts"] = std::move(texts);
  json["bars"] = std::move(bars);
}

}  // namespace

Json timelineJson(const ModuleInfo& module, const driver::RunResult& result,
                  const std::vector<size_t>& table_rows) {
  std::vector<std::string_view> names;
  for (const StepInfo& step : module.steps) names.emplace_back(module.layers[step.layer].name);
  Timeline timeline = makeTimeline(result, names);
  thinTimeline(timeline, kMaxBars);
  for (TimelineBar& bar : timeline.bars) bar.layer = static_cast<uint32_t>(table_rows[bar.layer]);
  const Rows rows(timeline);
  Json layers = Json::array();
  for (const TimelineLayer& layer : timeline.layers) {
    layers.push_back(Json::array({table_rows[layer.layer], layer.begin_cycle, layer.end_cycle}));
  }
  Json json = {{"cycles", timeline.cycles},
               {"instructions", timeline.instructions},
               {"joined_cycles", timeline.joined_cycles},
               {"rows", rows.names()},
               {"launches", std::move(layers)},
               {"tokens", tokensJson(timeline, rows)},
               {"bus", busJson(timeline)}};
  addBars(timeline, rows, json);
  return json;
}

}  // namespace vta::tools
