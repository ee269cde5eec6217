#include "sweep/results/results_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "module/module_info.h"
#include "sweep/evaluate/network_result.h"
#include "sweep/space/value_text.h"
#include "tune/database/database.h"

namespace vta::sweep {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;

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

Json sharesJson(const LaunchCounters& counters) {
  const TimeShares shares = sharesOf(counters);
  return {{"computing", shares.computing}, {"for_load", shares.for_load},
          {"for_store", shares.for_store}, {"bus", shares.bus},
          {"hazard", shares.hazard},       {"fetch", shares.fetch},
          {"limit", shares.limit}};
}

uint64_t dramBytes(const LaunchCounters& c) {
  return c.fetch.read_bytes + c.load.read_bytes + c.compute.read_bytes + c.store.write_bytes;
}

Json modelJson(const ModelEntry& entry, const ModelResult& model) {
  const NetworkTime& time = model.time;
  return {{"name", entry.name},
          {"cycles", time.counters.cycles},
          {"latency_ms", model.latency_ms},
          {"energy_mj", model.energy_mj},
          {"dram_mj", model.dram_mj},
          {"utilisation", model.utilisation},
          {"dram_bytes", dramBytes(time.counters)},
          {"macs_on_vta", time.macs_on_vta},
          {"macs_on_cpu", time.macs_on_cpu},
          {"kernels", time.kernels},
          {"host_steps", time.host_steps},
          {"launches", time.launches},
          {"program_bytes", time.program_bytes},
          {"activation_bytes", time.activation_bytes},
          {"time", sharesJson(time.counters)}};
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
               {"values", Json::object()},
               {"objectives", result.objectives},
               {"models", Json::array()}};
  for (const std::string& name : names) {
    if (const auto value = result.values.find(name); value != result.values.end()) {
      json["values"][name] = value->second;
    }
  }
  if (point.hw) json["hw"] = point.hw->toYaml();
  for (size_t i = 0; i < result.models.size(); ++i) {
    json["models"].push_back(modelJson(sweep.models[i], result.models[i]));
  }
  return json;
}

Json layersJson(const PointLayers& layers, const SweepConfig& sweep) {
  Json json = Json::object();
  for (const auto& [number, models] : layers) {
    Json of_point = Json::array();
    for (size_t i = 0; i < models.size(); ++i) {
      Json rows = Json::array();
      for (const LayerTime& layer : models[i]) {
        rows.push_back({{"layer", layer.layer},
                        {"macs", layer.macs},
                        {"cycles", layer.counters.cycles},
                        {"dram_bytes", dramBytes(layer.counters)},
                        {"time", sharesJson(layer.counters)}});
      }
      of_point.push_back({{"model", sweep.models[i].name}, {"layers", std::move(rows)}});
    }
    json[std::to_string(number)] = std::move(of_point);
  }
  return json;
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
               {"area", "fitted to Yosys's cells before placement (hw/synth/area_points.json)"},
               {"models", Json::object()}};
  for (const ModelEntry& model : sweep.models) {
    const auto hash = manifest.model_hashes.find(model.name);
    json["models"][model.name] = {
        {"file", model.file.string()},
        {"weight", model.weight},
        {"hash", hash == manifest.model_hashes.end() ? "" : hash->second}};
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
    differences.push_back(fmt::format("{}: {} was {}, is {}", what, name, value.dump(), now.dump()));
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
               {"layers", layersJson(results.layers, sweep)}};
  for (const Objective& objective : sweep.objectives) {
    json["objectives"].push_back({{"text", objective.expression.text()},
                                  {"maximise", objective.maximise}});
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
  std::string text = "number,memory,batch,status,front,reason";
  for (const std::string& name : names) text += "," + name;
  text += "\n";
  for (const PointResult& result : results.points) {
    const Point& point = result.point;
    text += fmt::format("{},{},{},{},{},{}", point.number,
                        csvCell(sweep.memories[point.memory].name), point.batch, statusOf(result),
                        front.contains(point.number) ? 1 : 0, csvCell(result.error));
    for (const std::string& name : names) {
      const auto value = result.values.find(name);
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
  for (const char* key : {"tool", "compiler", "base", "energy"}) {
    if (old_manifest.value(key, Json()) == new_manifest.value(key, Json())) continue;
    differences.push_back(fmt::format("{} was {}, is {}", key,
                                      old_manifest.value(key, Json()).dump(),
                                      new_manifest.value(key, Json()).dump()));
  }
  for (const auto& [name, model] : old_manifest.at("models").items()) {
    const Json now = new_manifest.at("models").value(name, Json::object());
    if (now.value("hash", "") == model.value("hash", "")) continue;
    differences.push_back(fmt::format("model {} is another file now", name));
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
