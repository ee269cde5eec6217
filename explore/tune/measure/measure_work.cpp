#include "explore/tune/measure/measure_work.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace vta::tune {
namespace {

constexpr Outcome kOutcomes[] = {Outcome::kCycles,  Outcome::kSlower,   Outcome::kFailed,
                                 Outcome::kCrashed, Outcome::kTimedOut, Outcome::kNotMeasured};

}  // namespace

launcher::Json taskContext(const TaskKey& key, uint64_t most) {
  return {{"workload", key.workload},
          {"configuration", key.configuration},
          {"memory", key.memory},
          {"most", most}};
}

launcher::Json measurementJson(const Measurement& measurement) {
  launcher::Json json = {{"outcome", outcomeName(measurement.outcome)}};
  if (measurement.outcome == Outcome::kCycles) json["cycles"] = measurement.cycles;
  if (!measurement.error.empty()) json["error"] = measurement.error;
  return json;
}

Result<Measurement> parseMeasurement(const launcher::Json& json) {
  if (!json.is_object()) return invalidArgument("a worker sent no measurement");
  const launcher::Json name = json.value("outcome", launcher::Json());
  const launcher::Json cycles = json.value("cycles", launcher::Json(0u));
  const launcher::Json error = json.value("error", launcher::Json(""));
  for (const Outcome outcome : kOutcomes) {
    if (name != outcomeName(outcome) || !cycles.is_number_unsigned() || !error.is_string())
      continue;
    const auto count = cycles.get<uint64_t>();
    if (outcome == Outcome::kCycles && (count < 1 || count > kMostCycles)) continue;
    return Measurement{outcome, count, error.get<std::string>()};
  }
  return invalidArgument(
      fmt::format("a worker sent a measurement that makes no sense: {}",
                  json.dump(-1, ' ', false, launcher::Json::error_handler_t::replace)));
}

Result<launcher::Json> MeasureWork::setUp(const launcher::Json& setup) {
  const std::string farm = setup.at("version");
  if (farm != version_) return launcher::otherVersion(version_, farm);
  VTA_ASSIGN_OR_RETURN(measurer_, make_(setup));
  return launcher::Json{{"version", version_}, {"source", measurer_->source()}};
}

Status MeasureWork::begin(const TaskKey& key) {
  if (key_ == key) return {};
  key_.reset();
  VTA_ASSIGN_OR_RETURN(Task task, parseTask(key));
  auto next = std::make_unique<Task>(std::move(task));
  VTA_RETURN_IF_ERROR(measurer_->begin(*next));
  task_ = std::move(next);
  key_ = key;
  return {};
}

Result<std::vector<launcher::Json>> MeasureWork::process(const launcher::Json& context,
                                                         const std::vector<launcher::Json>& items) {
  const Status begun =
      begin({context.at("workload"), context.at("configuration"), context.at("memory")});
  std::vector<launcher::Json> results;
  std::vector<kernel::Schedule> schedules;
  for (const launcher::Json& item : items) {
    if (item.is_null())
      return std::vector<launcher::Json>{begun.ok() ? launcher::Json()
                                                    : launcher::Json(begun.message())};
    VTA_ASSIGN_OR_RETURN(schedules.emplace_back(), parseSchedule(item.dump()));
  }
  VTA_RETURN_IF_ERROR(begun);
  for (const Measurement& measured : measurer_->measure(schedules, context.at("most"))) {
    results.push_back(measurementJson(measured));
  }
  // Unhealthy: this worker refuses, and another one measures them.
  VTA_RETURN_IF_ERROR(measurer_->health());
  return results;
}

}  // namespace vta::tune
