#include "tools/vta_run/full/report_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "driver/device_registry.h"
#include "isa/config/clock_estimate.h"
#include "isa/spec/memory_ports.h"
#include "module/analysis/crossings.h"
#include "tools/vta_report/report_page.h"
#include "tools/vta_run/array_bound.h"
#include "tools/vta_run/full/html_memory.h"
#include "tools/vta_run/full/html_timeline.h"
#include "tools/vta_run/profile.h"

namespace vta::tools {
namespace {

using Json = nlohmann::ordered_json;

/// Columns of the layer table: how the page formats them, and what a heading explains.
Json tableColumns(const RunReport& report) {
  const auto column = [](const char* key, const char* title, const char* format, const char* help) {
    return Json{{"key", key}, {"title", title}, {"format", format}, {"help", help}};
  };
  Json columns = {
      column("name", "layer", "text", ""),
      column("cycles_in_run", "cycles", "count",
             "its share of the run's cycles: layers overlap in the run"),
      column("cycles", "alone", "count",
             "cycles of the layer by itself; the columns from roofline on are of that"),
      column("ms", "time", "milliseconds",
             "on the VTA: its share of the cycles at the clock; elsewhere: as measured on this "
             "machine"),
      column("roofline", "roofline", "percent",
             "least cycles that array and bus allow, as a share of the cycles taken"),
      column("limit", "limited by", "text",
             "the resource that a busy layer uses most, or what the compute unit waits for most"),
      column("energy_pj", "energy", "energy", "an estimate"),
      column("where", "where", "text", ""),
      column("op", "operator", "text", ""),
      column("macs", "MACs", "count", "multiply-accumulates"),
      column("array", "peak utilisation", "percent",
             "share of the multipliers that the layer can keep busy at best"),
      column("dram_read_bytes", "read", "bytes", "from DRAM"),
      column("dram_write_bytes", "written", "bytes", "to DRAM"),
      column("energy_dram", "DRAM energy", "percent", "share of DRAM in the layer's energy"),
      column("busy", "busy", "percent", "share of the cycles in which the compute unit works"),
      column("for_load", "loads", "percent", "share in which it waits for a token of load"),
      column("for_store", "stores", "percent", "share in which it waits for a token of store"),
      column("bus", "bus", "percent", "share in which it waits for its own loads"),
      column("hazard", "hazards", "percent", "share in which it waits for results or an engine"),
      column("fetch", "fetch", "percent", "share in which it has no instruction"),
      column("uops", "micro-ops", "count", "of GEMM and ALU"),
      column("reason", "schedule, or why it is on the CPU", "text", "")};
  if (std::ranges::any_of(report.layers, &LayerReport::hasCopies)) {
    const auto time = std::find_if(columns.begin(), columns.end(),
                                   [](const Json& one) { return one["key"] == "ms"; });
    columns.insert(time + 1,
                   column("copy_ms", "copies", "milliseconds",
                          "of the time: between the memories of the host and the GPU, beside the "
                          "work of other layers where the GPU can"));
  }
  return columns;
}

void addShares(const RunReport& report, int64_t macs, const LaunchCounters& counters, Json& row) {
  const ComputeShares shares = computeShares(counters);
  const auto least = static_cast<double>(rooflineCycles(*report.hw, macs, counters));
  row["roofline"] = 100 * least / static_cast<double>(counters.cycles);
  row["limit"] = limitOf(report, macs, counters);
  row["busy"] = shares.busy;
  row["for_load"] = shares.token_from_load;
  row["for_store"] = shares.token_from_store;
  row["bus"] = shares.bus;
  row["hazard"] = shares.hazard;
  row["fetch"] = shares.fetch;
}

/// "not an integer operator; 26 tuned schedules".
std::string reasonOf(const LayerInfo& layer) {
  std::map<std::string, size_t> counts;
  for (const ConvolutionInfo& convolution : layer.convolutions) ++counts[convolution.schedule];
  std::string text = layer.reason;
  for (const auto& [schedule, count] : counts) {
    if (!text.empty()) text += "; ";
    text += fmt::format("{} {}{}", count, schedule, count == 1 ? "" : "s");
  }
  return text;
}

/// A row of the table. What does not apply to the layer is not there.
Json tableRow(const RunReport& report, const LayerInfo& layer, const ExecutorInfo& machine,
              int64_t macs_on_vta, const LaunchCounters& counters, uint64_t cycles_in_run,
              const std::optional<sim::EnergyEstimate>& energy, double ms) {
  Json row = {{"name", layer.name},
              {"op", layer.op},
              {"where", machine.name},
              {"kind", machine.kind},
              {"macs", layer.macs},
              {"uops", counters.gemm_uops + counters.alu_uops},
              {"dram_read_bytes", dramReadBytes(counters)},
              {"dram_write_bytes", counters.store.write_bytes},
              {"ms", ms},
              {"cycles_in_run", cycles_in_run},
              {"cycles", counters.cycles}};
  if (counters.cycles > 0) addShares(report, macs_on_vta, counters, row);
  const auto bound = arrayBound(*report.hw, macs_on_vta, counters);
  if (bound && bound->utilisation) row["array"] = 100 * *bound->utilisation;
  if (energy) {
    row["energy_pj"] = energy->totalPj();
    row["energy_dram"] = 100 * energy->dram_pj / energy->totalPj();
  }
  row["reason"] = reasonOf(layer);
  return row;
}

Json tableJson(const RunReport& report, const ProfileTotals& totals) {
  Json rows = Json::array();
  for (const LayerReport& row : report.layers) {
    rows.push_back(tableRow(report, *row.layer, *row.machine, row.layer->macs, row.counters,
                            row.cycles_in_run, row.energy, stepMilliseconds(report, row)));
    if (row.hasCopies()) rows.back()["copy_ms"] = 1000 * row.copy_seconds;
  }
  const MacTotals macs = countMacs(*report.module);
  const LayerInfo total = {"total", "", "", "", macs.all, {}};
  Json sums = tableRow(report, total, ExecutorInfo(), macs.on_vta, report.total,
                       report.total.cycles, report.energy, totals.all_ms);
  sums.erase("limit");  // each layer has its own
  sums["cycles"] = totals.cycles_alone;
  for (const MachineTotals& machine : totals.machines) {
    if (machine.hasCopies()) sums["copy_ms"] = sums.value("copy_ms", 0.0) + machine.copy_ms;
  }
  return {{"columns", tableColumns(report)},
          {"rows", std::move(rows)},
          {"total", std::move(sums)},
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
          {"bytes_per_cycle",
           hw.params().axi_data_width_bits / 8 * memoryPorts(hw.params()).readPorts()},
          {"points", std::move(points)}};
}

/// Null for a core that is not this project's RTL.
Json areaJson(const RunReport& report) {
  if (!report.area) return nullptr;
  return {{"lut", report.area->lut},
          {"ff", report.area->ff},
          {"dsp", report.area->dsp},
          {"bram36", report.area->bram36},
          {"uram", report.area->uram}};
}

Json warningsJson(const RunReport& report) {
  Json warnings = report.warnings;
  for (std::string warning : {clockWarning(report.hw->params()), offloadWarning(report)}) {
    if (!warning.empty()) warnings.push_back(std::move(warning));
  }
  return warnings;
}

Json summaryJson(const RunReport& report, const ProfileTotals& totals) {
  const HwConfig& hw = *report.hw;
  const MacTotals macs = countMacs(*report.module);
  const auto cycles = static_cast<double>(std::max<uint64_t>(1, report.total.cycles));
  const sim::EnergyEstimate energy = report.energy.value_or(sim::EnergyEstimate{});
  const double latency_ms = totals.all_ms;
  return {
      {"latency_ms", latency_ms},
      {"vta_ms", totals.vta_ms},
      {"cpu_ms", totals.host_ms},
      {"frames_per_second", latency_ms > 0 ? 1000 / latency_ms : 0},
      {"clock_mhz", hw.params().clockMhz()},
      {"cycles", report.total.cycles},
      {"fast_rescaling_cycles", report.fast_rescaling_cycles.value_or(report.total.cycles)},
      {"roofline_percent",
       100 * static_cast<double>(rooflineCycles(hw, macs.on_vta, report.total)) / cycles},
      {"macs", macs.all},
      {"macs_on_vta", macs.on_vta},
      {"macs_per_cycle", static_cast<double>(macs.on_vta) / cycles},
      {"peak_macs_per_cycle", hw.batch() * hw.blockIn() * hw.blockOut()},
      {"energy_pj", energy.totalPj()},
      {"energy_dram_percent", energy.totalPj() > 0 ? 100 * energy.dram_pj / energy.totalPj() : 0},
      {"dram_read_bytes", dramReadBytes(report.total)},
      {"dram_write_bytes", report.total.store.write_bytes},
      {"steps", totals.steps},
      {"cpu_steps", totals.host_steps},
      {"area", areaJson(report)},
      {"warnings", warningsJson(report)}};
}

/// Rows of the table are steps in their order.
/// Of each step, the row of the table that is it or its first part.
std::vector<size_t> rowsOfSteps(const RunReport& report) {
  std::vector<size_t> rows;
  for (size_t i = 0; i < report.layers.size(); ++i) {
    if (report.layers[i].begins_step) rows.push_back(i);
  }
  return rows;
}

Json crossingsJson(const ModuleInfo& module, const std::vector<size_t>& rows) {
  Json crossings = Json::array();
  for (const Crossing& crossing : findCrossings(module)) {
    crossings.push_back({{"tensor", module.tensors[crossing.tensor].name},
                         {"op", module.layers[module.steps[crossing.step].layer].op},
                         {"layer", rows[crossing.step]}});
  }
  return crossings;
}

Json stepsJson(const ModuleInfo& module) {
  Json steps = Json::array();
  for (const StepInfo& step : module.steps) steps.push_back(module.layers[step.layer].name);
  return steps;
}

/// What the device is, for people.
std::string deviceText(const std::string& device) {
  const driver::DeviceKind* kind = driver::findDeviceKind(device.substr(0, device.find(':')));
  return kind == nullptr ? device : std::string(kind->description);
}

}  // namespace

Json reportData(const RunReport& report, const driver::RunResult& result) {
  const ProfileTotals totals = profileTotals(report);
  const std::vector<size_t> rows = rowsOfSteps(report);
  return {{"format", kReportFormat},
          {"version", kReportVersion},
          {"sdk_version", sdkVersion()},
          {"model", report.module->model},
          {"hw", report.hw->summary()},
          {"device", report.device},
          {"device_text", deviceText(report.device)},
          {"input", report.input},
          {"summary", summaryJson(report, totals)},
          {"crossings", crossingsJson(*report.module, rows)},
          {"table", tableJson(report, totals)},
          {"timeline", timelineJson(*report.module, result, rows)},
          {"roofline", rooflineJson(report)},
          {"steps", stepsJson(*report.module)},
          {"dram", dramMap(*report.module)},
          {"sram", sramUse(*report.hw, result, rows)}};
}

std::string htmlReport(const RunReport& report, const driver::RunResult& result) {
  return reportPage({reportData(report, result)});
}

}  // namespace vta::tools
