#include "explore/tune/task/task_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/text/json_reason.h"
#include "isa/spec/parameters.h"

namespace vta::tune {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kHertzOfMegahertz = 1'000'000;

template <typename T>
auto ddrMembers(T& t) {
  return std::array{&t.clock_mhz, &t.bus_bytes, &t.burst_length, &t.banks, &t.rows,  &t.row_bytes,
                    &t.t_rcd,     &t.t_rp,      &t.t_cl,         &t.t_cwl, &t.t_ccd, &t.t_ras,
                    &t.t_rfc,     &t.t_refi,    &t.t_wr,         &t.t_wtr};
}

std::string memoryText(const sim::MemoryConfig& memory, const HwConfig& hw) {
  Json json;
  json["outstanding"] = memory.outstanding;
  if (memory.kind == sim::MemoryKind::kSimple) {
    json["latency_cycles"] = memory.simple.latency_cycles;
    json["beats"] = {memory.simple.beats_numerator, memory.simple.beats_denominator};
    return json.dump();
  }
  // A whole number is written as one: databases find what they hold by this text.
  const int64_t hz = hw.params().clock_hz;
  json["accelerator_mhz"] =
      hz % kHertzOfMegahertz == 0 ? Json(hz / kHertzOfMegahertz) : Json(hw.params().clockMhz());
  json["controller_latency_cycles"] = memory.controller_latency_cycles;
  for (const int* member : ddrMembers(memory.ddr)) json["ddr"].push_back(*member);
  return json.dump();
}

sim::MemoryConfig memoryFromJson(const Json& json) {
  sim::MemoryConfig memory;
  memory.outstanding = json.at("outstanding");
  if (!json.contains("ddr")) {
    memory.simple.latency_cycles = json.at("latency_cycles");
    memory.simple.beats_numerator = json.at("beats").at(0);
    memory.simple.beats_denominator = json.at("beats").at(1);
    return memory;
  }
  memory.kind = sim::MemoryKind::kDdr;
  memory.name = "ddr";
  memory.controller_latency_cycles = json.at("controller_latency_cycles");
  const auto members = ddrMembers(memory.ddr);
  for (size_t i = 0; i < members.size(); ++i) *members[i] = json["ddr"].at(i);
  return memory;
}

// Neither the name nor the clock changes how many cycles something takes.
std::string configurationText(const HwConfig& hw) {
  HwParams params = hw.params();
  params.name = "any";
  params.clock_hz = HwParams().clock_hz;
  const Result<HwConfig> same = HwConfig::create(params);
  return same.ok() ? same->toYaml() : hw.toYaml();
}

Result<HwConfig> configurationOf(const std::string& text, const Json& memory) {
  VTA_ASSIGN_OR_RETURN(const HwConfig hw, parseHwConfig(text, "a task's configuration"));
  HwParams params = hw.params();
  const auto clock = std::ranges::find(parameters(), "clock_mhz", &Parameter::key);
  const double mhz = memory.value("accelerator_mhz", clock->number(params));
  clock->access.set(params, clock->valueOf(mhz));
  return HwConfig::create(params);
}

Result<int64_t> fieldFromJson(const kernel::ScheduleField& field, const Json& json) {
  if (!json.contains(field.key) || !json[field.key].is_number_integer()) {
    return invalidArgument(fmt::format("a schedule without the number '{}'", field.key));
  }
  const auto value = json[field.key].get<int64_t>();
  if (field.isLegal(value)) return value;
  return invalidArgument(fmt::format("a schedule with {} {}; legal: {} to {}", field.key, value,
                                     field.least, field.most));
}

}  // namespace

TaskKey keyOf(const Task& task) {
  return {workloadText(task.desc), configurationText(task.hw), memoryText(task.memory, task.hw)};
}

TimingKey keyOf(const Timing& timing) {
  return {configurationText(timing.hw), memoryText(timing.memory, timing.hw)};
}

Result<Timing> parseTiming(const TimingKey& key) {
  try {
    const Json memory = Json::parse(key.memory);
    VTA_ASSIGN_OR_RETURN(HwConfig hw, configurationOf(key.configuration, memory));
    Timing timing{std::move(hw), memoryFromJson(memory)};
    VTA_RETURN_IF_ERROR(sim::checkMemoryConfig(timing.memory));
    return timing;
  } catch (const nlohmann::json::exception& error) {
    return invalidArgument(fmt::format("this is no memory: {}", jsonReason(error.what())));
  }
}

Result<Task> parseTask(const TaskKey& key) {
  try {
    VTA_ASSIGN_OR_RETURN(Timing timing, parseTiming({key.configuration, key.memory}));
    VTA_ASSIGN_OR_RETURN(kernel::KernelDesc desc, parseWorkload(key.workload));
    Task task{std::move(desc), std::move(timing.hw), std::move(timing.memory), {}};
    VTA_RETURN_IF_ERROR(kernel::validateKernelDesc(task.desc, task.hw));
    return task;
  } catch (const nlohmann::json::exception& error) {
    return invalidArgument(fmt::format("this is no task: {}", jsonReason(error.what())));
  }
}

std::string scheduleText(const kernel::Schedule& schedule) {
  Json json;
  for (const kernel::ScheduleField& field : kernel::scheduleFields()) {
    json[field.key] = field.get(schedule);
  }
  return json.dump();
}

Result<kernel::Schedule> parseSchedule(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return invalidArgument("this is no schedule: it is no JSON object");
  kernel::Schedule schedule;
  const auto fields = kernel::scheduleFields();
  for (const kernel::ScheduleField& field : fields) {
    VTA_ASSIGN_OR_RETURN(const int64_t value, fieldFromJson(field, json));
    field.set(schedule, value);
  }
  if (json.size() != fields.size()) return invalidArgument("a schedule with an unknown field");
  return schedule;
}

}  // namespace vta::tune
