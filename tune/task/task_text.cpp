#include "tune/task/task_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/text/json_reason.h"
#include "isa/spec/lookup_table.h"
#include "isa/spec/parameters.h"

namespace vta::tune {
namespace {

using Json = nlohmann::ordered_json;
using kernel::EpilogueStep;
using kernel::Geometry;
using kernel::KernelDesc;

// Values of immediates do not change how long an operation takes.
Json stepsToJson(const std::vector<EpilogueStep>& steps) {
  Json json = Json::array();
  for (const EpilogueStep& step : steps) {
    json.push_back({static_cast<int>(step.opcode), static_cast<int>(step.source), step.param});
  }
  return json;
}

std::vector<EpilogueStep> stepsFromJson(const Json& json) {
  std::vector<EpilogueStep> steps;
  for (const Json& step : json) {
    steps.push_back({.opcode = static_cast<AluOpcode>(step.at(0).get<int>()),
                     .source = static_cast<EpilogueStep::Source>(step.at(1).get<int>()),
                     .imm = 0,
                     .param = step.at(2).get<int32_t>()});
  }
  return steps;
}

/// The members of a Geometry in the order of their text.
template <typename G>
auto geometryMembers(G& g) {
  return std::array{&g.batch_blocks, &g.in_channel_blocks, &g.out_channel_blocks,
                    &g.groups,       &g.in_height,         &g.in_width,
                    &g.out_height,   &g.out_width,         &g.kernel_height,
                    &g.kernel_width, &g.stride_y,          &g.stride_x,
                    &g.dilation_y,   &g.dilation_x,        &g.pad_top,
                    &g.pad_left,     &g.pad_bottom,        &g.pad_right,
                    &g.interleave_y, &g.interleave_x,      &g.phases,
                    &g.crop_top,     &g.crop_left,         &g.crop_bottom,
                    &g.crop_right};
}
constexpr const char* kGeometryNames[] = {
    "batch_blocks", "in_channel_blocks", "out_channel_blocks", "groups",        "in_height",
    "in_width",     "out_height",        "out_width",          "kernel_height", "kernel_width",
    "stride_y",     "stride_x",          "dilation_y",         "dilation_x",    "pad_top",
    "pad_left",     "pad_bottom",        "pad_right",          "interleave_y",  "interleave_x",
    "phases",       "crop_top",          "crop_left",          "crop_bottom",   "crop_right"};

/// Padding of a text: which of all other values it holds does not matter for time.
enum class PadKindOfText : uint8_t { kZero = 0, kLeast = 1, kOther = 2 };
constexpr int64_t kHertzOfMegahertz = 1'000'000;
constexpr int64_t kLeastInt8 = std::numeric_limits<int8_t>::min();

PadKindOfText padKindOf(int64_t value) {
  if (value == 0) return PadKindOfText::kZero;
  return value == kLeastInt8 ? PadKindOfText::kLeast : PadKindOfText::kOther;
}

int64_t padValueOf(PadKindOfText kind) {
  if (kind == PadKindOfText::kZero) return 0;
  return kind == PadKindOfText::kLeast ? kLeastInt8 : 1;
}

Json geometryToJson(const Geometry& g) {
  Json json;
  const auto members = geometryMembers(g);
  static_assert(members.size() == std::size(kGeometryNames));
  for (size_t i = 0; i < members.size(); ++i) json[kGeometryNames[i]] = *members[i];
  json["pad_kind"] = static_cast<int>(padKindOf(g.pad_value));
  if (g.folds()) {
    json["fold_taps"] = g.fold_taps;
    json["fold_pitch"] = g.fold_pitch;
  }
  if (g.border != kernel::Border::kEdge) json["border"] = static_cast<int>(g.border);
  return json;
}

Geometry geometryFromJson(const Json& json) {
  Geometry g;
  const auto members = geometryMembers(g);
  for (size_t i = 0; i < members.size(); ++i) *members[i] = json.at(kGeometryNames[i]);
  g.pad_value = padValueOf(static_cast<PadKindOfText>(json.at("pad_kind").get<int>()));
  if (json.contains("fold_taps")) {
    g.fold_taps = json["fold_taps"];
    g.fold_pitch = json.at("fold_pitch");
  }
  if (json.contains("border")) g.border = static_cast<kernel::Border>(json["border"].get<int>());
  return g;
}

template <typename P>
auto poolMembers(P& p) {
  return std::array{&p.out_height, &p.out_width, &p.kernel_height, &p.kernel_width,
                    &p.stride_y,   &p.stride_x,  &p.pad_top,       &p.pad_left};
}

Json workloadToJson(const KernelDesc& desc) {
  Json json = {{"kind", static_cast<int>(desc.kind)},
               {"geometry", geometryToJson(desc.geometry)},
               {"num_params", desc.num_params},
               {"epilogue", stepsToJson(desc.epilogue)}};
  if (desc.factor_blocks > 0) json["factor_blocks"] = desc.factor_blocks;
  if (desc.residual) json["residual"] = stepsToJson(desc.residual->steps);
  if (desc.residual_per_image) json["residual_per_image"] = true;
  if (desc.pool) {
    for (const int64_t* member : poolMembers(*desc.pool)) json["pool"].push_back(*member);
  }
  if (desc.bias_exceeds_results) json["small_bias_blocks"] = desc.small_bias_blocks;
  return json;
}

KernelDesc workloadFromJson(const Json& json) {
  KernelDesc desc;
  desc.kind = static_cast<kernel::KernelKind>(json.at("kind").get<int>());
  desc.geometry = geometryFromJson(json.at("geometry"));
  desc.num_params = json.at("num_params");
  desc.epilogue = stepsFromJson(json.at("epilogue"));
  desc.factor_blocks = json.value("factor_blocks", int64_t{0});
  if (json.contains("residual")) desc.residual.emplace().steps = stepsFromJson(json["residual"]);
  desc.residual_per_image = json.contains("residual_per_image");
  // What the table holds does not matter for time.
  if (desc.hasLookup()) desc.table.assign(kTableEntries, 0);
  if (json.contains("pool")) {
    kernel::Pool& pool = desc.pool.emplace();
    const auto members = poolMembers(pool);
    for (size_t i = 0; i < members.size(); ++i) *members[i] = json["pool"].at(i);
  }
  if (json.contains("small_bias_blocks")) {
    desc.bias_exceeds_results = true;
    desc.small_bias_blocks = json["small_bias_blocks"].get<std::vector<int32_t>>();
  }
  return desc;
}

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

std::string workloadText(const KernelDesc& desc) { return workloadToJson(desc).dump(); }

Result<KernelDesc> parseWorkload(std::string_view text) {
  try {
    return workloadFromJson(Json::parse(text));
  } catch (const nlohmann::json::exception& error) {
    return invalidArgument(fmt::format("this is no workload: {}", jsonReason(error.what())));
  }
}

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
    Task task{workloadFromJson(Json::parse(key.workload)),
              std::move(timing.hw),
              std::move(timing.memory),
              {}};
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
