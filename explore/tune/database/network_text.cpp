#include "explore/tune/database/network_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text/json_reason.h"
#include "explore/tune/measure/measurement.h"
#include "explore/tune/task/task_text.h"

namespace vta::tune {
namespace {

using NetworkJson = nlohmann::ordered_json;

NetworkJson keptJson(std::span<const KeptSchedule> schedules) {
  NetworkJson json = NetworkJson::array();
  for (const KeptSchedule& kept : schedules) {
    json.push_back({{"workload", NetworkJson::parse(kept.workload)},
                    {"schedule", NetworkJson::parse(kept.schedule)},
                    {"is_tuned", kept.is_tuned}});
  }
  return json;
}

/// Throws what the JSON library throws.
Result<std::vector<KeptSchedule>> keptOf(const NetworkJson& json) {
  std::vector<KeptSchedule> schedules;
  for (const NetworkJson& kept : json) {
    const std::string workload = kept.at("workload").dump();
    VTA_RETURN_IF_ERROR(parseWorkload(workload).status());
    VTA_ASSIGN_OR_RETURN(const kernel::Schedule schedule,
                         parseSchedule(kept.at("schedule").dump()));
    schedules.push_back({workload, scheduleText(schedule), kept.at("is_tuned").get<bool>()});
  }
  if (schedules.empty()) return invalidArgument("a network has no schedules");
  return schedules;
}

}  // namespace

std::string keptSchedulesText(std::span<const KeptSchedule> schedules) {
  return keptJson(schedules).dump();
}

Result<std::vector<KeptSchedule>> parseKeptSchedules(std::string_view text) {
  try {
    return keptOf(NetworkJson::parse(text));
  } catch (const nlohmann::json::exception& error) {
    return invalidArgument(jsonReason(error.what()));
  }
}

Status checkMemory(const NetworkKey& key) {
  if (NetworkJson::accept(key.memory)) return {};
  return invalidArgument("a network has a memory whose text is no JSON");
}

Status checkCycles(const NetworkRecord& record) {
  const bool is_possible = record.cycles > 0 && record.cycles <= record.untuned_cycles &&
                           record.cycles <= record.tuned_cycles &&
                           record.untuned_cycles <= kMostCycles &&
                           record.tuned_cycles <= kMostCycles;
  if (is_possible) return {};
  return invalidArgument(
      fmt::format("a network cannot take {} cycles where it takes {} untuned and {} with every "
                  "tuned schedule: the choice is the least of all, and more than 0",
                  record.cycles, record.untuned_cycles, record.tuned_cycles));
}

std::string networkLine(const NetworkLine& line) {
  const NetworkRecord& record = line.record;
  const NetworkJson json = {{"network", line.key.network},
                            {"configuration", line.key.configuration},
                            {"memory", NetworkJson::parse(line.key.memory)},
                            {"name", record.name},
                            {"source", line.source},
                            {"compiler", line.compiler},
                            {"untuned_cycles", record.untuned_cycles},
                            {"tuned_cycles", record.tuned_cycles},
                            {"cycles", record.cycles},
                            {"schedules", keptJson(record.schedules)}};
  return json.dump(-1, ' ', false, NetworkJson::error_handler_t::replace);
}

bool isNetworkLine(std::string_view text) {
  const NetworkJson json = NetworkJson::parse(text, nullptr, false);
  return json.is_object() && json.contains("network");
}

Result<NetworkLine> parseNetworkLine(std::string_view text) {
  try {
    const NetworkJson json = NetworkJson::parse(text);
    NetworkLine line{{json.at("network"), json.at("configuration"), json.at("memory").dump()},
                     json.at("source"),
                     json.at("compiler"),
                     {json.at("name"),
                      json.at("untuned_cycles").get<uint64_t>(),
                      json.at("tuned_cycles").get<uint64_t>(),
                      json.at("cycles").get<uint64_t>(),
                      {}}};
    VTA_RETURN_IF_ERROR(checkCycles(line.record));
    VTA_ASSIGN_OR_RETURN(line.record.schedules, keptOf(json.at("schedules")));
    return line;
  } catch (const nlohmann::json::exception& error) {
    return invalidArgument(jsonReason(error.what()));
  }
}

}  // namespace vta::tune
