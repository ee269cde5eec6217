#include "explore/sweep/results/results_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "explore/sweep/evaluate/time_shares.h"
#include "explore/sweep/space/value_text.h"
#include "explore/tune/database/database.h"
#include "explore/tune/task/task.h"
#include "isa/spec/memory_ports.h"
#include "module/module_info.h"

namespace vta::sweep {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 2;

/// Values that a reader asks for: parameters only where the sweep changes them.
std::vector<std::string> shownValues(const SweepConfig& sweep, const SweepResults& results) {
  std::set<std::string> chosen;
  for (const Axis& axis : sweep.axes) chosen.insert(axis.name);
  for (const Derived& derived : sweep.derived) chosen.insert(derived.name);
  chosen.insert("clock_mhz");
  std::set<std::string> all;
  for (const PointResult& result : results.points) {
    for (const auto& [name, value] : result.values) all.insert(name);
  }
  std::vector<std::string> names;
  for (const std::string& name : all) {
    const bool is_parameter = findParameter(name) != nullptr || name.starts_with("ext.");
    if (!is_parameter || chosen.contains(name)) names.push_back(name);
  }
  return names;
}

/// Of a network or a layer on `point`: what pictures and comparisons are made of.
Json workJson(const SweepConfig& sweep, const Point& point, int64_t macs,
              const LaunchCounters& counters) {
  const double beat = tune::memoryTraits(sweep.memories[point.memory], *point.hw).cycles_per_beat;
  const TimeShares shares = sharesOf(counters, macs, *point.hw, beat);
  return {{"macs", macs},
          {"cycles", counters.cycles},
          {"dram_read_bytes",
           counters.fetch.read_bytes + counters.load.read_bytes + counters.compute.read_bytes},
          {"dram_write_bytes", counters.store.write_bytes},
          {"time",
           {{"array", shares.array},
            {"lanes", shares.lanes},
            {"alu", shares.alu},
            {"bus", shares.bus},
            {"latency", shares.latency},
            {"control", shares.control},
            {"limit", shares.limit}}}};
}

/// The two roofs over a point's networks: what the array and the memory's bus do at most.
Json roofsJson(const SweepConfig& sweep, const Point& point) {
  const HwParams& p = point.hw->params();
  const double beat = tune::memoryTraits(sweep.memories[point.memory], *point.hw).cycles_per_beat;
  return {{"macs_per_cycle", p.batch * p.block_in * p.block_out},
          {"bytes_per_cycle", p.axi_data_width_bits / 8.0 * memoryPorts(p).readPorts() / beat}};
}

/// What is known of a network's accuracy, or why it is unknown.
Json accuracyJson(const ModelEntry& entry, const ModelResult& model) {
  if (!entry.accuracy) return {{"unknown", "no samples"}};
  if (!model.accuracy) return {{"unknown", model.accuracy_error}};
  const Accuracy& accuracy = *model.accuracy;
  Json json = {{"samples", accuracy.samples}, {kAgreement, accuracy.agreementPercent()}};
  if (accuracy.labelled == 0) return json;
  json[kTop1] = accuracy.top1Percent();
  json["float_top1_percent"] = accuracy.floatTop1Percent();
  return json;
}

Json dataJson(const ModelEntry& model, const Manifest& manifest) {
  if (!model.accuracy) return nullptr;
  const auto hash = manifest.data_hashes.find(model.name);
  return {{"samples", model.accuracy->samples},
          {"calibrate", model.accuracy->calibrate},
          {"preprocess", model.accuracy->preprocess},
          {"labels", model.accuracy->labels.string()},
          {"hash", hash == manifest.data_hashes.end() ? "" : hash->second}};
}

Json modelJson(const SweepConfig& sweep, const ModelEntry& entry, const Point& point,
               const ModelResult& model) {
  const NetworkTime& time = model.time;
  Json json = {{"name", entry.name},
               {"latency_ms", model.latency_ms},
               {"energy_mj", model.energy_mj},
               {"dram_mj", model.dram_mj},
               {"utilisation", model.utilisation},
               {"macs_on_cpu", time.macs_on_cpu},
               {"kernels", time.kernels},
               {"host_steps", time.host_steps},
               {"launches", time.launches},
               {"program_bytes", time.program_bytes},
               {"activation_bytes", time.activation_bytes}};
  json.update(workJson(sweep, point, time.macs_on_vta, time.counters));
  json["accuracy"] = accuracyJson(entry, model);
  return json;
}

Json pointJson(const SweepConfig& sweep, const PointResult& result,
               const std::vector<std::string>& names) {
  const Point& point = result.point;
  Json json = {{"number", point.number},
               {"choices", point.choices},
               {"text", describeAxes(sweep, point)},
               {"memory", sweep.memories[point.memory].name},
               {"batch", point.batch},
               {"status", statusOf(result)},
               {"reason", result.error},
               {"clock_warning", nullptr},
               {"values", Json::object()},
               {"objectives", result.objectives},
               {"models", Json::array()}};
  for (const std::string& name : names) {
    if (const auto value = result.values.find(name); value != result.values.end()) {
      json["values"][name] = value->second;
    }
  }
  if (!point.hw) return json;
  if (std::string warning = clockWarning(sweep, point); !warning.empty()) {
    json["clock_warning"] = std::move(warning);
  }
  json["hw"] = point.hw->toYaml();
  json["roofs"] = roofsJson(sweep, point);
  for (size_t i = 0; i < result.models.size(); ++i) {
    json["models"].push_back(modelJson(sweep, sweep.models[i], point, result.models[i]));
  }
  return json;
}

Json layersJson(const SweepResults& results, const SweepConfig& sweep) {
  Json json = Json::object();
  for (const PointResult& result : results.points) {
    const auto found = results.layers.find(result.point.number);
    if (found == results.layers.end()) continue;
    const auto& models = found->second;
    Json of_point = Json::array();
    for (size_t i = 0; i < models.size(); ++i) {
      Json rows = Json::array();
      for (const LayerTime& layer : models[i]) {
        Json row = {{"layer", layer.layer}};
        row.update(workJson(sweep, result.point, layer.macs, layer.counters));
        rows.push_back(std::move(row));
      }
      of_point.push_back({{"model", sweep.models[i].name}, {"layers", std::move(rows)}});
    }
    json[std::to_string(result.point.number)] = std::move(of_point);
  }
  return json;
}

std::string areaText(const SweepConfig& sweep) {
  std::string model = "fitted to Yosys's cells before placement (hw/synth/area_points.json)";
  if (sweep.calibration.remarks.empty()) return model;
  return fmt::format("{}, scaled to reports of Vivado: {}", model,
                     fmt::join(sweep.calibration.remarks, "; "));
}

Json manifestJson(const SweepConfig& sweep, const Manifest& manifest) {
  Json json = {{"format", kFormat},
               {"tool", manifest.tool_version},
               {"compiler", tune::kCompilerVersion},
               {"source", sweep.source},
               {"sweep", sweep.text},
               {"base", sweep.base.toYaml()},
               {"schedules", effortName(sweep.effort)},
               {"energy", {{"table", sweep.energy.name}, {"sources", sweep.energy.sources()}}},
               {"area", areaText(sweep)},
               {"calibration", sweep.calibration.remarks},
               {"models", Json::object()}};
  for (const ModelEntry& model : sweep.models) {
    const auto hash = manifest.model_hashes.find(model.name);
    json["models"][model.name] = {{"file", model.file.string()},
                                  {"weight", model.weight},
                                  {"hash", hash == manifest.model_hashes.end() ? "" : hash->second},
                                  {"accuracy", dataJson(model, manifest)}};
  }
  return json;
}

std::string csvCell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

/// Differences of two points' values, after `what`.
void compareValues(const std::string& what, const Json& before, const Json& after,
                   std::vector<std::string>& differences) {
  for (const auto& [name, value] : before.items()) {
    const Json now = after.value(name, Json());
    if (now == value) continue;
    differences.push_back(
        fmt::format("{}: {} was {}, is {}", what, name, value.dump(), now.dump()));
  }
}

}  // namespace

const char* statusOf(const PointResult& result) {
  if (result.is_failed) return "failed";
  if (result.is_feasible) return "ok";
  return result.models.empty() && !result.point.rule.starts_with("constraint") ? "illegal"
                                                                               : "constraint";
}

Json resultsJson(const SweepConfig& sweep, const SweepResults& results, const Manifest& manifest) {
  const std::vector<std::string> names = shownValues(sweep, results);
  Json json = {{"manifest", manifestJson(sweep, manifest)},
               {"name", sweep.name},
               {"objectives", Json::array()},
               {"axes", Json::array()},
               {"points", Json::array()},
               {"front", Json::array()},
               {"layers", layersJson(results, sweep)}};
  for (const Objective& objective : sweep.objectives) {
    json["objectives"].push_back(
        {{"text", objective.expression.text()}, {"maximise", objective.maximise}});
  }
  for (const Axis& axis : sweep.axes) json["axes"].push_back(axis.name);
  for (const PointResult& result : results.points) {
    json["points"].push_back(pointJson(sweep, result, names));
  }
  for (const size_t i : results.front) json["front"].push_back(results.points[i].point.number);
  return json;
}

std::string resultsCsv(const SweepConfig& sweep, const SweepResults& results) {
  const std::vector<std::string> names = shownValues(sweep, results);
  std::set<uint64_t> front;
  for (const size_t i : results.front) front.insert(results.points[i].point.number);
  // Accuracy has a column even where nobody knows it, so that nobody takes it for granted.
  const bool has_agreement = std::ranges::find(names, kAgreement) != names.end();
  std::string text = "number,memory,batch,status,front,reason,clock_warning";
  if (!has_agreement) text += fmt::format(",{}", kAgreement);
  for (const std::string& name : names) text += "," + name;
  text += "\n";
  for (const PointResult& result : results.points) {
    const Point& point = result.point;
    text += fmt::format("{},{},{},{},{},{},{}", point.number,
                        csvCell(sweep.memories[point.memory].name), point.batch, statusOf(result),
                        front.contains(point.number) ? 1 : 0, csvCell(result.error),
                        csvCell(clockWarning(sweep, point)));
    const char* unknown = result.models.empty() ? "," : ",unknown";
    if (!has_agreement) text += unknown;
    for (const std::string& name : names) {
      const auto value = result.values.find(name);
      if (name == kAgreement && value == result.values.end()) {
        text += unknown;
        continue;
      }
      text += value == result.values.end() ? "," : fmt::format(",{}", value->second);
    }
    text += "\n";
  }
  return text;
}

std::vector<std::string> compareResults(const Json& before, const Json& after) {
  std::vector<std::string> differences;
  const Json& old_manifest = before.at("manifest");
  const Json& new_manifest = after.at("manifest");
  for (const char* key : {"format", "calibration", "tool", "compiler", "base", "energy"}) {
    if (old_manifest.value(key, Json()) == new_manifest.value(key, Json())) continue;
    differences.push_back(fmt::format("{} was {}, is {}", key,
                                      old_manifest.value(key, Json()).dump(),
                                      new_manifest.value(key, Json()).dump()));
  }
  for (const auto& [name, model] : old_manifest.at("models").items()) {
    const Json now = new_manifest.at("models").value(name, Json::object());
    if (now.value("hash", "") != model.value("hash", "")) {
      differences.push_back(fmt::format("model {} is another file now", name));
    }
    if (now.value("accuracy", Json()) != model.value("accuracy", Json())) {
      differences.push_back(fmt::format("model {} has other samples for its accuracy now", name));
    }
  }
  std::map<uint64_t, const Json*> points;
  for (const Json& point : after.at("points")) points[point.at("number")] = &point;
  for (const Json& point : before.at("points")) {
    const uint64_t number = point.at("number");
    const std::string what = fmt::format("point {} ({})", number, point.value("text", ""));
    const auto found = points.find(number);
    if (found == points.end()) {
      differences.push_back(what + " is not there any more");
      continue;
    }
    for (const char* key : {"status", "reason", "objectives", "models"}) {
      const Json old_value = point.value(key, Json());
      const Json new_value = found->second->value(key, Json());
      if (old_value == new_value) continue;
      differences.push_back(
          fmt::format("{}: {} was {}, is {}", what, key, old_value.dump(), new_value.dump()));
    }
    compareValues(what, point.at("values"), found->second->at("values"), differences);
  }
  return differences;
}

}  // namespace vta::sweep
