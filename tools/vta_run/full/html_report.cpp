#include "tools/vta_run/full/html_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "isa/config/clock_estimate.h"
#include "program/text/assembler.h"
#include "tools/vta_run/array_bound.h"
#include "tools/vta_run/full/html_memory.h"
#include "tools/vta_run/full/page_files.h"
#include "tools/vta_run/full/timeline.h"

namespace vta::tools {
namespace {

using Json = nlohmann::ordered_json;

// What a browser still draws and moves smoothly.
constexpr size_t kMaxBars = 20000;
// Beyond that the page would be too big; it says so.
constexpr size_t kMaxTokens = 50000;

/// Columns of the layer table: how the page formats and sums them.
Json tableColumns() {
  const auto column = [](const char* key, const char* title, const char* format) {
    return Json{{"key", key}, {"title", title}, {"format", format}};
  };
  return {column("name", "layer", "text"),
          column("op", "op", "text"),
          column("where", "where", "text"),
          column("macs", "MACs", "count"),
          column("uops", "micro-ops", "count"),
          column("dram_read_bytes", "read", "bytes"),
          column("dram_write_bytes", "written", "bytes"),
          column("array", "array at most", "percent"),
          column("limit", "for", "text"),
          column("seconds", "time", "seconds"),
          column("cycles", "cycles", "count"),
          column("roofline", "of roofline", "percent"),
          column("busy", "busy", "percent"),
          column("for_load", "for load", "percent"),
          column("for_store", "for store", "percent"),
          column("bus", "bus", "percent"),
          column("hazard", "hazard", "percent"),
          column("fetch", "fetch", "percent"),
          column("energy_pj", "energy (estimate)", "energy"),
          column("energy_dram", "of it DRAM", "percent"),
          column("reason", "how, or why not on the VTA", "text")};
}

/// A row of the table. What does not apply to the layer is null.
Json tableRow(const RunReport& report, const LayerInfo& layer, int64_t macs_on_vta,
              const LaunchCounters& counters, const std::optional<sim::EnergyEstimate>& energy,
              double seconds) {
  Json row = {{"name", layer.name},
              {"op", layer.op},
              {"where", layer.where},
              {"macs", layer.macs},
              {"uops", counters.gemm_uops + counters.alu_uops},
              {"dram_read_bytes", dramReadBytes(counters)},
              {"dram_write_bytes", counters.store.write_bytes},
              {"seconds", seconds},
              {"cycles", counters.cycles}};
  if (counters.cycles > 0) {
    const ComputeShares shares = computeShares(counters);
    const auto least = static_cast<double>(rooflineCycles(*report.hw, macs_on_vta, counters));
    row["roofline"] = 100 * least / static_cast<double>(counters.cycles);
    row["busy"] = shares.busy;
    row["for_load"] = shares.token_from_load;
    row["for_store"] = shares.token_from_store;
    row["bus"] = shares.bus;
    row["hazard"] = shares.hazard;
    row["fetch"] = shares.fetch;
  }
  if (const auto bound = arrayBound(*report.hw, macs_on_vta, counters)) {
    if (bound->utilisation) row["array"] = 100 * *bound->utilisation;
    row["limit"] = bound->limit;
  }
  if (energy) {
    row["energy_pj"] = energy->totalPj();
    row["energy_dram"] = 100 * energy->dram_pj / energy->totalPj();
  }
  row["reason"] = layer.reason;
  return row;
}

Json tableJson(const RunReport& report) {
  Json rows = Json::array();
  double seconds = 0;
  for (const LayerReport& row : report.layers) {
    rows.push_back(
        tableRow(report, *row.layer, row.layer->macs, row.counters, row.energy, row.seconds));
    seconds += row.seconds;
  }
  const MacTotals macs = countMacs(*report.module);
  const LayerInfo total = {"total", "", "", "", macs.all};
  return {
      {"columns", tableColumns()},
      {"rows", std::move(rows)},
      {"total", tableRow(report, total, macs.on_vta, report.total, totalEnergy(report), seconds)},
      {"energy_note", energyNote(*report.energy_source)},
      {"energy_sources", report.energy_source->sources}};
}

/// The two roofs, and each layer with MACs and cycles as a point. Reads and writes have a data
/// channel each, so intensity counts the bytes of the busier one: a point's distance to the roof
/// then is the share of the roofline.
Json rooflineJson(const RunReport& report) {
  const HwConfig& hw = *report.hw;
  Json points = Json::array();
  for (size_t i = 0; i < report.layers.size(); ++i) {
    const LayerReport& row = report.layers[i];
    const uint64_t bytes = std::max(dramReadBytes(row.counters), row.counters.store.write_bytes);
    if (row.layer->macs == 0 || row.counters.cycles == 0 || bytes == 0) continue;
    const auto macs = static_cast<double>(row.layer->macs);
    points.push_back({{"layer", i},
                      {"intensity", macs / static_cast<double>(bytes)},
                      {"rate", macs / static_cast<double>(row.counters.cycles)}});
  }
  return {{"macs_per_cycle", hw.batch() * hw.blockIn() * hw.blockOut()},
          {"bytes_per_cycle", hw.params().axi_data_width_bits / 8},
          {"points", std::move(points)}};
}

/// [row from, cycle pushed, row to, cycle popped, direction], and the directions' names.
Json tokensJson(const Timeline& timeline, const std::vector<TrackLane>& rows) {
  const auto rowOf = [&](const TrackLane& place) {
    const auto row = std::ranges::find_if(rows, [&](const TrackLane& other) {
      return other.track == place.track && other.lane == place.lane;
    });
    return row - rows.begin();
  };
  Json names = Json::array();
  Json tokens = Json::array();
  std::map<std::string, size_t> numbers;
  for (const TimelineToken& token : timeline.tokens) {
    if (tokens.size() == kMaxTokens) break;
    const auto [number, is_new] = numbers.try_emplace(token.name, numbers.size());
    if (is_new) names.push_back(token.name);
    tokens.push_back(Json::array({rowOf(token.from), token.pushed_cycle, rowOf(token.to),
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

/// Bars as arrays [row, begin, end, layer, first instruction, instructions, text], rows from the
/// top.
Json timelineJson(const driver::RunResult& result) {
  Timeline timeline = makeTimeline(result);
  thinTimeline(timeline, kMaxBars);
  Json rows = Json::array();
  std::vector<TrackLane> places;
  Json bars = Json::array();
  Json texts = Json::array();
  std::map<std::string, size_t> text_numbers;
  TrackLane place;
  for (const TimelineBar& bar : timeline.bars) {
    if (rows.empty() || bar.place.track != place.track || bar.place.lane != place.lane) {
      place = bar.place;
      places.push_back(place);
      const char* track = unitTrackName(place.track);
      rows.push_back(place.lane == 0 ? track : fmt::format("{} ({})", track, place.lane + 1));
    }
    const std::string text = bar.instructions == 1 ? disassemble(*bar.instruction) : "";
    const auto [number, is_new] = text_numbers.try_emplace(text, text_numbers.size());
    if (is_new) texts.push_back(text);
    bars.push_back(Json::array({rows.size() - 1, bar.begin_cycle, bar.end_cycle, bar.layer,
                                bar.first_instruction, bar.instructions, number->second}));
  }
  return {{"cycles", timeline.cycles},
          {"instructions", timeline.instructions},
          {"joined_cycles", timeline.joined_cycles},
          {"rows", std::move(rows)},
          {"tokens", tokensJson(timeline, places)},
          {"bus", busJson(timeline)},
          {"texts", std::move(texts)},
          {"bars", std::move(bars)}};
}

Json headlineJson(const RunReport& report) {
  const HwConfig& hw = *report.hw;
  const MacTotals macs = countMacs(*report.module);
  const auto cycles = static_cast<double>(report.total.cycles);
  const int array = hw.batch() * hw.blockIn() * hw.blockOut();
  const double per_cycle = cycles > 0 ? static_cast<double>(macs.on_vta) / cycles : 0;
  const double roofline =
      cycles > 0 ? static_cast<double>(rooflineCycles(hw, macs.on_vta, report.total)) / cycles : 0;
  const double on_vta =
      macs.all > 0 ? static_cast<double>(macs.on_vta) / static_cast<double>(macs.all) : 0;
  const double mhz = hw.params().clock_mhz;
  const auto entry = [](const char* title, std::string value) {
    return Json{{"title", title}, {"value", std::move(value)}};
  };
  Json entries = {
      entry("cycles on the VTA", formatCount(report.total.cycles)),
      entry("time on the VTA", fmt::format("{:.3g} ms at {} MHz", cycles / mhz / 1000, mhz)),
      entry("MACs", formatCount(static_cast<uint64_t>(macs.all))),
      entry("MACs on the VTA", fmt::format("{:.2f} %", 100 * on_vta)),
      entry("MACs per cycle", fmt::format("{:.1f} of {}", per_cycle, array)),
      entry("of the roofline", fmt::format("{:.1f} %", 100 * roofline)),
      entry("read from DRAM", formatBytes(dramReadBytes(report.total))),
      entry("written to DRAM", formatBytes(report.total.store.write_bytes)),
  };
  const std::string warning = clockWarning(hw.params());
  if (!warning.empty()) entries.push_back(entry("warning", warning));
  return entries;
}

Json stepsJson(const ModuleInfo& module) {
  Json steps = Json::array();
  for (const StepInfo& step : module.steps) steps.push_back(module.layers[step.layer].name);
  return steps;
}

/// JSON that may stand inside a script element: nothing in it can end the element.
std::string scriptSafe(const Json& json) {
  std::string result;
  for (const char c : json.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    if (c == '<') {
      result += "\\u003c";
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace

std::string htmlReport(const RunReport& report, const driver::RunResult& result) {
  const Json data = {{"model", report.module->model},    {"hw", report.hw->summary()},
                     {"device", report.device},          {"input", report.input},
                     {"version", sdkVersion()},          {"headline", headlineJson(report)},
                     {"timeline", timelineJson(result)}, {"roofline", rooflineJson(report)},
                     {"table", tableJson(report)},       {"steps", stepsJson(*report.module)},
                     {"dram", dramMap(*report.module)},  {"sram", sramUse(*report.hw, result)}};
  std::string page;
  std::string_view rest = kPageTemplate;
  const auto fill = [&](std::string_view mark, std::string_view text) {
    const size_t at = rest.find(mark);
    page.append(rest.substr(0, at)).append(text);
    rest.remove_prefix(at + mark.size());
  };
  fill("/*echarts*/", kEchartsScript);
  fill("/*data*/", scriptSafe(data));
  fill("/*script*/", kPageScript);
  return page.append(rest);
}

}  // namespace vta::tools
