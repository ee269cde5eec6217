// The text of a kernel in keys: what of it changes how long it takes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/text/json_reason.h"
#include "compiler/kernel/desc/fields.h"
#include "explore/tune/task/task_text.h"
#include "isa/spec/lookup_table.h"

namespace vta::tune {
namespace {

using Json = nlohmann::ordered_json;
using kernel::EpilogueStep;
using kernel::Geometry;
using kernel::KernelDesc;
using kernel::Pool;

// The text of a struct is made from its fields (compiler/kernel/desc/fields.h). A key is not to
// change when the struct gets one more field, so that what was measured is found again: the fields
// that are not named below are in the text where they differ from their default.
template <typename Struct>
constexpr std::array<std::string_view, 0> kNever = {};
template <typename Struct>
constexpr std::array<std::string_view, 0> kAlways = {};

template <>
constexpr std::array kNever<Geometry> = std::to_array<std::string_view>({"pad_value"});  // pad_kind
template <>
constexpr std::array kAlways<Geometry> = std::to_array<std::string_view>(
    {"batch_blocks", "in_channel_blocks", "out_channel_blocks", "groups",        "in_height",
     "in_width",     "out_height",        "out_width",          "kernel_height", "kernel_width",
     "stride_y",     "stride_x",          "dilation_y",         "dilation_x",    "pad_top",
     "pad_left",     "pad_bottom",        "pad_right",          "interleave_y",  "interleave_x",
     "phases",       "crop_top",          "crop_left",          "crop_bottom",   "crop_right"});

// Neither a name nor what a table holds changes how long something takes. The promise on the bias
// is in the text as the blocks that it leaves out.
template <>
constexpr std::array kNever<KernelDesc> =
    std::to_array<std::string_view>({"name", "bias_exceeds_results", "small_bias_blocks", "table"});
template <>
constexpr std::array kAlways<KernelDesc> =
    std::to_array<std::string_view>({"kind", "geometry", "num_params", "epilogue"});

bool isIn(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// Padding of a text: which of all other values it holds does not matter for time.
enum class PadKindOfText : uint8_t { kZero = 0, kLeast = 1, kOther = 2 };
constexpr int64_t kLeastInt8 = std::numeric_limits<int8_t>::min();

PadKindOfText padKindOf(int64_t value) {
  if (value == 0) return PadKindOfText::kZero;
  return value == kLeastInt8 ? PadKindOfText::kLeast : PadKindOfText::kOther;
}

int64_t padValueOf(PadKindOfText kind) {
  if (kind == PadKindOfText::kZero) return 0;
  return kind == PadKindOfText::kLeast ? kLeastInt8 : 1;
}

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

Json valueToJson(const std::vector<EpilogueStep>& steps) { return stepsToJson(steps); }
Json valueToJson(const std::optional<kernel::Residual>& residual) {
  return stepsToJson(residual->steps);
}
Json valueToJson(const std::optional<Pool>& pool) {
  Json json = Json::array();
  kernel::forEachField<Pool>([&](const auto& field) { json.push_back((*pool).*field.member); });
  return json;
}
Json valueToJson(const Geometry& geometry);
template <typename Value>
Json valueToJson(const Value& value) {
  if constexpr (std::is_enum_v<Value>) {
    return static_cast<int>(value);
  } else {
    return value;
  }
}

void valueFromJson(const Json& json, std::vector<EpilogueStep>& steps) {
  steps = stepsFromJson(json);
}
void valueFromJson(const Json& json, std::optional<kernel::Residual>& residual) {
  residual.emplace().steps = stepsFromJson(json);
}
void valueFromJson(const Json& json, std::optional<Pool>& pool) {
  pool.emplace();
  size_t place = 0;
  kernel::forEachField<Pool>(
      [&](const auto& field) { json.at(place++).get_to((*pool).*field.member); });
}
void valueFromJson(const Json& json, Geometry& geometry);
template <typename Value>
void valueFromJson(const Json& json, Value& value) {
  if constexpr (std::is_enum_v<Value>) {
    value = static_cast<Value>(json.get<int>());
  } else {
    json.get_to(value);
  }
}

/// Adds the fields that are always there.
template <typename Struct>
void addCommonFields(const Struct& value, Json& json) {
  kernel::forEachField<Struct>([&](const auto& field) {
    if (isIn(kAlways<Struct>, field.key)) json[field.key] = valueToJson(value.*field.member);
  });
}

/// Adds the other ones that differ from their defaults.
template <typename Struct>
void addRareFields(const Struct& value, Json& json) {
  const Struct defaults;
  kernel::forEachField<Struct>([&](const auto& field) {
    if (isIn(kAlways<Struct>, field.key) || isIn(kNever<Struct>, field.key)) return;
    if (value.*field.member == defaults.*field.member) return;
    json[field.key] = valueToJson(value.*field.member);
  });
}

/// What the two above have written.
template <typename Struct>
Struct fieldsFromJson(const Json& json) {
  Struct value;
  kernel::forEachField<Struct>([&](const auto& field) {
    if (isIn(kNever<Struct>, field.key)) return;
    if (!isIn(kAlways<Struct>, field.key) && !json.contains(field.key)) return;
    valueFromJson(json.at(field.key), value.*field.member);
  });
  return value;
}

Json valueToJson(const Geometry& geometry) {
  Json json;
  addCommonFields(geometry, json);
  json["pad_kind"] = static_cast<int>(padKindOf(geometry.pad_value));
  addRareFields(geometry, json);
  return json;
}

void valueFromJson(const Json& json, Geometry& geometry) {
  geometry = fieldsFromJson<Geometry>(json);
  geometry.pad_value = padValueOf(static_cast<PadKindOfText>(json.at("pad_kind").get<int>()));
}

Json workloadToJson(const KernelDesc& desc) {
  Json json;
  addCommonFields(desc, json);
  addRareFields(desc, json);
  if (desc.bias_exceeds_results) json["small_bias_blocks"] = desc.small_bias_blocks;
  return json;
}

KernelDesc workloadFromJson(const Json& json) {
  auto desc = fieldsFromJson<KernelDesc>(json);
  // What the table holds does not matter for time.
  if (desc.hasLookup()) desc.table.assign(kTableEntries, 0);
  if (json.contains("small_bias_blocks")) {
    desc.bias_exceeds_results = true;
    desc.small_bias_blocks = json["small_bias_blocks"].get<std::vector<int32_t>>();
  }
  return desc;
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

}  // namespace vta::tune
