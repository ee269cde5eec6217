#include "compiler/kernel/schedule/schedule_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/closest_name.h"
#include "base/yaml_section.h"

namespace vta::kernel {
namespace {

constexpr const char* kHeader =
    "# Schedules of a model's layers, for vta-compile --schedules. Layers that are left out are "
    "chosen by the\n"
    "# compiler. Tile sizes count output pixels and blocks of channels; 0 kernel rows or columns "
    "are all of them.\n";

// What schedules depend on; of the configuration's other values their speed at most.
struct HardwareField {
  const char* key;
  int64_t (*value)(const HwParams&);
};
constexpr HardwareField kHardwareFields[] = {
    {"batch", [](const HwParams& p) -> int64_t { return p.batch; }},
    {"block_in", [](const HwParams& p) -> int64_t { return p.block_in; }},
    {"block_out", [](const HwParams& p) -> int64_t { return p.block_out; }},
    {"uop_buf_bytes", [](const HwParams& p) { return static_cast<int64_t>(p.uop_buf_bytes); }},
    {"inp_buf_bytes", [](const HwParams& p) { return static_cast<int64_t>(p.inp_buf_bytes); }},
    {"wgt_buf_bytes", [](const HwParams& p) { return static_cast<int64_t>(p.wgt_buf_bytes); }},
    {"acc_buf_bytes", [](const HwParams& p) { return static_cast<int64_t>(p.acc_buf_bytes); }},
};

void emitSchedule(YAML::Emitter& out, const Schedule& schedule) {
  out << YAML::BeginMap;
  for (const ScheduleField& field : scheduleFields()) {
    const int64_t value = field.get(schedule);
    out << YAML::Key << field.key << YAML::Value;
    if (field.kind == ScheduleField::Kind::kNumber) {
      out << value;
    } else {
      out << field.names[static_cast<size_t>(value)];
    }
  }
  out << YAML::EndMap;
}

Result<int64_t> readNumber(YamlSection& section, const ScheduleField& field) {
  VTA_ASSIGN_OR_RETURN(const int value, section.integer(field.key));
  if (field.isLegal(value)) return value;
  const std::string legal = field.most == ScheduleField::kNoLimit
                                ? fmt::format("at least {}", field.least)
                                : fmt::format("{} to {}", field.least, field.most);
  return invalidArgument(
      fmt::format("{}: {} is {}; legal: {}", section.placeOf(field.key), field.key, value, legal));
}

Result<int64_t> readName(YamlSection& section, const ScheduleField& field) {
  VTA_ASSIGN_OR_RETURN(const std::string text, section.text(field.key));
  const auto& [no, yes] = field.names;
  if (text == yes || text == no) return text == yes ? 1 : 0;
  return invalidArgument(fmt::format("{}: {} is \"{}\"; legal: {} or {}",
                                     section.placeOf(field.key), field.key, text, no, yes));
}

Status wrongKind(const std::string& place, const std::string& what, const char* kind) {
  return invalidArgument(fmt::format("{}: {} must be {}", place, what, kind));
}

Status readHardware(YamlSection& root, const HwConfig& hw) {
  VTA_ASSIGN_OR_RETURN(const YAML::Node node, root.node("hw"));
  if (!node.IsMap()) return wrongKind(root.place(node), "hw", "a map with the key name and others");
  YamlSection section(node, root.source());
  VTA_ASSIGN_OR_RETURN(const std::string name, section.text("name"));
  if (name != hw.name()) {
    return invalidArgument(
        fmt::format("{}: these schedules are for the configuration '{}', not for '{}'",
                    section.placeOf("name"), name, hw.name()));
  }
  for (const HardwareField& field : kHardwareFields) {
    VTA_ASSIGN_OR_RETURN(const int value, section.integer(field.key));
    const int64_t actual = field.value(hw.params());
    if (value == actual) continue;
    return invalidArgument(
        fmt::format("{}: these schedules are for a configuration '{}' whose {} is {}, not {}",
                    section.placeOf(field.key), name, field.key, value, actual));
  }
  return section.checkAllKnown();
}

Result<LayerSchedule> readSchedule(const std::string& layer, const YAML::Node& node,
                                   const YamlSection& parent) {
  if (!node.IsMap()) {
    return wrongKind(parent.place(node), fmt::format("layer '{}'", layer),
                     "a map with the fields of its schedule");
  }
  YamlSection section(node, parent.source());
  for (const ScheduleField& field : scheduleFields()) section.expect(field.key);
  VTA_RETURN_IF_ERROR(section.checkAllKnown());
  LayerSchedule result{layer, {}, section.place()};
  for (const ScheduleField& field : scheduleFields()) {
    const bool is_number = field.kind == ScheduleField::Kind::kNumber;
    VTA_ASSIGN_OR_RETURN(const int64_t value,
                         is_number ? readNumber(section, field) : readName(section, field));
    field.set(result.schedule, value);
  }
  return result;
}

// `node` is one schedule, or a list for layers of the same name.
Status readLayer(const std::string& layer, const YAML::Node& node, const YamlSection& parent,
                 std::vector<LayerSchedule>& out) {
  if (!node.IsSequence()) {
    VTA_ASSIGN_OR_RETURN(LayerSchedule schedule, readSchedule(layer, node, parent));
    out.push_back(std::move(schedule));
    return {};
  }
  for (const YAML::Node& item : node) {
    VTA_ASSIGN_OR_RETURN(LayerSchedule schedule, readSchedule(layer, item, parent));
    out.push_back(std::move(schedule));
  }
  return {};
}

Result<std::vector<LayerSchedule>> readLayers(YamlSection& root) {
  VTA_ASSIGN_OR_RETURN(const YAML::Node layers, root.node("layers"));
  if (!layers.IsMap()) {
    return wrongKind(root.place(layers), "layers", "a map from layers to their schedules");
  }
  std::vector<LayerSchedule> schedules;
  std::map<std::string, std::string> places;
  for (const auto& entry : layers) {
    const std::string place = root.place(entry.first);
    if (!entry.first.IsScalar()) return wrongKind(place, "a layer's name", "a single value");
    const std::string layer = entry.first.Scalar();
    const auto [known, is_new] = places.emplace(layer, place);
    if (!is_new) {
      return invalidArgument(
          fmt::format("{}: layer '{}' appears twice, first at {}", place, layer, known->second));
    }
    VTA_RETURN_IF_ERROR(readLayer(layer, entry.second, root, schedules));
  }
  return schedules;
}

// The first of `names`, and how many more there are.
std::string listOf(std::span<const std::string> names) {
  constexpr size_t kShown = 12;
  if (names.empty()) return "none";
  const auto shown = names.first(std::min(kShown, names.size()));
  const std::string text = fmt::format("{}", fmt::join(shown, ", "));
  return names.size() > kShown ? fmt::format("{} and {} more", text, names.size() - kShown) : text;
}

}  // namespace

std::string schedulesToYaml(std::span<const LayerSchedule> layers, const HwConfig& hw) {
  std::map<std::string, std::vector<const Schedule*>> by_name;
  for (const LayerSchedule& layer : layers) by_name[layer.layer].push_back(&layer.schedule);
  YAML::Emitter out;
  out << YAML::BeginMap << YAML::Key << "hw" << YAML::Value << YAML::BeginMap;
  out << YAML::Key << "name" << YAML::Value << hw.name();
  for (const HardwareField& field : kHardwareFields) {
    out << YAML::Key << field.key << YAML::Value << field.value(hw.params());
  }
  out << YAML::EndMap << YAML::Key << "layers" << YAML::Value << YAML::BeginMap;
  for (const LayerSchedule& layer : layers) {
    const auto named = by_name.extract(layer.layer);
    if (named.empty()) continue;  // written with the first one of its name
    const bool is_list = named.mapped().size() > 1;
    out << YAML::Key << layer.layer << YAML::Value;
    if (is_list) out << YAML::BeginSeq;
    for (const Schedule* schedule : named.mapped()) emitSchedule(out, *schedule);
    if (is_list) out << YAML::EndSeq;
  }
  out << YAML::EndMap << YAML::EndMap;
  return fmt::format("{}{}\n", kHeader, out.c_str());
}

Result<std::vector<LayerSchedule>> parseSchedules(std::string_view yaml, const std::string& source,
                                                  const HwConfig& hw) {
  try {
    VTA_ASSIGN_OR_RETURN(const YAML::Node node, loadYaml(yaml, source));
    if (!node.IsMap()) {
      return wrongKind(source, "a file of schedules", "a map with the keys hw and layers");
    }
    YamlSection root(node, source);
    for (const char* key : {"hw", "layers"}) root.expect(key);
    VTA_RETURN_IF_ERROR(root.checkAllKnown());
    VTA_RETURN_IF_ERROR(readHardware(root, hw));
    return readLayers(root);
  } catch (const YAML::Exception& error) {  // yaml-cpp reports syntax errors no other way
    if (error.mark.is_null()) return invalidArgument(fmt::format("{}: {}", source, error.msg));
    return invalidArgument(
        fmt::format("{}:{}:{}: {}", source, error.mark.line + 1, error.mark.column + 1, error.msg));
  }
}

GivenSchedules::GivenSchedules(std::span<const LayerSchedule> schedules) : all_(schedules) {
  for (const LayerSchedule& schedule : schedules) {
    queues_[schedule.layer].schedules.push_back(&schedule);
  }
}

Result<const LayerSchedule*> GivenSchedules::take(const std::string& layer) {
  const auto found = queues_.find(layer);
  if (found == queues_.end()) return nullptr;
  Queue& queue = found->second;
  if (queue.taken < queue.schedules.size()) return queue.schedules[queue.taken++];
  return invalidArgument(
      fmt::format("{}: more than {} layers are called '{}': give a list of their schedules, in "
                  "their order",
                  queue.schedules.back()->place, queue.taken, layer));
}

Status GivenSchedules::checkAllTaken(std::span<const std::string> layers) const {
  for (const LayerSchedule& schedule : all_) {
    const Queue& queue = queues_.at(schedule.layer);
    if (queue.taken == queue.schedules.size()) continue;
    if (queue.taken == 0) {
      return notFound(fmt::format("{}: no layer '{}' runs on the VTA; those that do: {}{}",
                                  schedule.place, schedule.layer, listOf(layers),
                                  suggestion(schedule.layer, namesOf(layers))));
    }
    return invalidArgument(fmt::format(
        "{}: {} schedules for layer '{}', but layers of this name: {}",
        queue.schedules[queue.taken]->place, queue.schedules.size(), schedule.layer, queue.taken));
  }
  return {};
}

}  // namespace vta::kernel
