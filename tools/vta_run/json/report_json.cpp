// The report as one JSON object.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "isa/config/clock_estimate.h"
#include "module/analysis/crossings.h"
#include "tools/vta_run/array_bound.h"
#include "tools/vta_run/profile.h"
#include "tools/vta_run/report.h"

namespace vta::tools {
namespace {

using Json = nlohmann::ordered_json;

Json topToJson(const RunReport& report, const std::vector<ClassScore>& top) {
  Json array = Json::array();
  for (const ClassScore& entry : top) {
    const bool has_label = static_cast<size_t>(entry.index) < report.labels.size();
    array.push_back({{"index", entry.index},
                     {"score", entry.score},
                     {"label", has_label ? Json(report.labels[entry.index]) : Json(nullptr)}});
  }
  return array;
}

Json outputToJson(const RunReport& report, const OutputReport& output) {
  Json json = {{"name", output.name},
               {"shape", output.shape},
               {"dtype", dtypeName(output.dtype)},
               {"file", output.file.empty() ? Json(nullptr) : Json(output.file)},
               {"top", topToJson(report, output.top)}};
  if (output.difference) {
    json["reference"] = {{"max_abs", output.difference->max_abs},
                         {"mean_abs", output.difference->mean_abs},
                         {"different", output.difference->different}};
  }
  return json;
}

/// Cycles where the device counts them, null elsewhere.
Json cyclesToJson(const RunReport& report, uint64_t cycles) {
  return report.has_cycles ? Json(cycles) : Json(nullptr);
}

/// Null where the device counts no cycles.
Json unitToJson(const RunReport& report, const UnitCounters& unit) {
  if (!report.has_cycles) return nullptr;
  return {{"instructions", unit.instructions},
          {"busy", unit.busy_cycles},
          {"stall_token", unit.stall_token_cycles},
          {"stall_memory", unit.stall_memory_cycles},
          {"stall_hazard", unit.stall_hazard_cycles}};
}

Json rooflineToJson(const RunReport& report, const LayerReport& row) {
  if (!report.has_cycles || row.counters.cycles == 0) return nullptr;
  return rooflineCycles(*report.hw, row.layer->macs, row.counters);
}

/// Null where nothing ran on the VTA.
Json arrayToJson(const RunReport& report, const LayerReport& row) {
  if (report.hw == nullptr) return nullptr;
  const auto bound = arrayBound(*report.hw, row.layer->macs, row.counters);
  if (!bound) return nullptr;
  return {{"utilisation", bound->utilisation ? Json(*bound->utilisation) : Json()},
          {"limit", bound->limit}};
}

/// Null where nothing ran on the VTA, and where nothing is wrong.
Json clockToJson(const RunReport& report) {
  const std::string warning = report.hw != nullptr ? clockWarning(report.hw->params()) : "";
  return warning.empty() ? Json(nullptr) : Json(warning);
}

/// Null where nothing ran on the VTA.
Json energyToJson(const std::optional<sim::EnergyEstimate>& energy) {
  if (!energy) return nullptr;
  return {{"total", energy->totalPj()},
          {"dram", energy->dram_pj},
          {"sram", energy->sram_pj},
          {"arithmetic", energy->arithmetic_pj},
          {"static", energy->static_pj}};
}

/// Null where nothing ran on the VTA, and where its RTL is not known.
Json areaToJson(const std::optional<AreaFigures>& area) {
  if (!area) return nullptr;
  return {{"lut", area->lut},
          {"ff", area->ff},
          {"dsp", area->dsp},
          {"bram36", area->bram36},
          {"uram", area->uram}};
}

/// Null for a step on the VTA without cycles.
Json millisecondsToJson(const RunReport& report, const LayerReport& row) {
  if (row.isOnVta() && !report.has_cycles) return nullptr;
  return stepMilliseconds(report, row);
}

bool isVta(const MachineTotals& sum) { return sum.machine->kind == kVtaKind; }

Json machinesToJson(const RunReport& report, const ProfileTotals& totals) {
  Json machines = Json::array();
  for (const MachineTotals& sum : totals.machines) {
    const bool has_time = !isVta(sum) || report.has_cycles;
    machines.push_back({{"name", sum.machine->name},
                        {"kind", sum.machine->kind},
                        {"steps", sum.steps},
                        {"ms", has_time ? Json(sum.ms) : Json()},
                        {"copy_ms", sum.hasCopies() ? Json(sum.copy_ms) : Json()}});
  }
  return machines;
}

Json timesToJson(const RunReport& report) {
  const ProfileTotals totals = profileTotals(report);
  const bool has_vta_time = report.has_cycles || !std::ranges::any_of(totals.machines, isVta);
  const bool has_rate = has_vta_time && totals.all_ms > 0;
  return {{"vta_ms", has_vta_time ? Json(totals.vta_ms) : Json()},
          {"cpu_ms", totals.host_ms},
          {"frames_per_second", has_rate ? Json(1000 / totals.all_ms) : Json()},
          {"steps", totals.steps},
          {"cpu_steps", totals.host_steps},
          {"machines", machinesToJson(report, totals)}};
}

Json convolutionsToJson(const LayerInfo& layer) {
  Json rows = Json::array();
  for (const ConvolutionInfo& convolution : layer.convolutions) {
    rows.push_back({{"name", convolution.name}, {"schedule", convolution.schedule}});
  }
  return rows;
}

Json kernelsToJson(const LayerReport& row) {
  Json kernels = Json::array();
  for (const driver::KernelProfile& kernel : row.kernels) {
    kernels.push_back({{"name", kernel.name}, {"ms", 1000 * kernel.seconds}});
  }
  return kernels;
}

Json layerToJson(const RunReport& report, const LayerReport& row) {
  return {{"name", row.layer->name},
          {"op", row.layer->op},
          {"where", row.machine->name},
          {"reason", row.layer->reason},
          {"macs", row.layer->macs},
          {"convolutions", convolutionsToJson(*row.layer)},
          {"cycles", cyclesToJson(report, row.counters.cycles)},
          {"cycles_in_run", cyclesToJson(report, row.cycles_in_run)},
          {"roofline_cycles", rooflineToJson(report, row)},
          {"array_at_most", arrayToJson(report, row)},
          {"fetch", unitToJson(report, row.counters.fetch)},
          {"load", unitToJson(report, row.counters.load)},
          {"compute", unitToJson(report, row.counters.compute)},
          {"store", unitToJson(report, row.counters.store)},
          {"compute_waits_for_load", row.counters.compute_waits_for_load_cycles},
          {"compute_waits_for_store", row.counters.compute_waits_for_store_cycles},
          {"dram_read_bytes", dramReadBytes(row.counters)},
          {"dram_write_bytes", row.counters.store.write_bytes},
          {"uops", row.counters.gemm_uops + row.counters.alu_uops},
          {"energy_pj_estimate", energyToJson(row.energy)},
          {"ms", millisecondsToJson(report, row)},
          {"copy_ms", row.hasCopies() ? Json(1000 * row.copy_seconds) : Json()},
          {"kernels", kernelsToJson(row)},
          {"wall_seconds", row.seconds}};
}

Json scoreToJson(const Scoreboard& score) {
  return {{"scored", score.scored()}, {"top1", score.top1()}, {"top5", score.top5()}};
}

Json batchToJson(const RunReport& report) {
  const BatchReport& batch = report.batch;
  const auto count = static_cast<double>(batch.entries.size());
  Json json = {{"samples", batch.entries.size()},
               {"seconds", batch.seconds},
               {"samples_per_second", batch.seconds > 0 ? count / batch.seconds : 0}};
  if (batch.score) json["score"] = scoreToJson(*batch.score);
  if (batch.float_score) json["float_score"] = scoreToJson(*batch.float_score);
  const Agreement& agreement = batch.agreement;
  if (agreement.compared() > 0) {
    json["float_agreement"] = static_cast<double>(agreement.agreed()) / agreement.compared();
  }
  json["results"] = Json::array();
  for (const BatchReport::Entry& entry : batch.entries) {
    json["results"].push_back({{"file", entry.name}, {"top", topToJson(report, entry.top)}});
  }
  return json;
}

/// Null where nothing ran on the VTA.
Json crossingsToJson(const ModuleInfo& module) {
  if (module.hw() == nullptr) return nullptr;
  return findCrossings(module).size();
}

}  // namespace

std::string jsonReport(const RunReport& report) {
  Json json = {{"format", kRunFormat},
               {"version", kRunVersion},
               {"sdk_version", sdkVersion()},
               {"model", report.module->model},
               {"hw", report.hw != nullptr ? Json(report.hw->name()) : Json(nullptr)},
               {"device", report.device},
               {"clock_mhz", report.hw != nullptr ? Json(report.hw->params().clockMhz()) : Json()},
               {"clock_warning", clockToJson(report)},
               {"warnings", report.warnings},
               {"area_estimate", areaToJson(report.area)},
               {"outputs", Json::array()},
               {"layers", Json::array()}};
  for (const OutputReport& output : report.outputs) {
    json["outputs"].push_back(outputToJson(report, output));
  }
  for (const LayerReport& row : report.layers) {
    json["layers"].push_back(layerToJson(report, row));
  }
  const MacTotals macs = countMacs(*report.module);
  json["totals"] = {{"macs", macs.all},
                    {"macs_on_vta", macs.on_vta},
                    {"crossings", crossingsToJson(*report.module)},
                    {"cycles", cyclesToJson(report, report.total.cycles)},
                    {"shares_are_estimated", report.shares_are_estimated},
                    {"energy_pj_estimate", energyToJson(report.energy)}};
  json["totals"].update(timesToJson(report));
  if (report.fast_rescaling_cycles) {
    json["totals"]["fast_rescaling_cycles"] = *report.fast_rescaling_cycles;
  }
  if (report.energy_source) {
    json["energy_table"] = {{"name", report.energy_source->name},
                            {"node", report.energy_source->node},
                            {"sources", report.energy_source->sources}};
  }
  json["seconds"] = {{"import", report.seconds.import},
                     {"quantise", report.seconds.quantise},
                     {"compile", report.seconds.compile},
                     {"load", report.seconds.load},
                     {"run", report.seconds.run}};
  json["peak_memory_bytes"] = report.peak_memory_bytes;
  json["verified_layers"] = report.verified_steps;
  if (report.batch.entries.size() > 1 || report.batch.score ||
      report.batch.agreement.compared() > 0) {
    json["batch"] = batchToJson(report);
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace vta::tools
