#include "web/estimate/describe.h"

#include <algorithm>

#include "explore/sweep/area/area_model.h"
#include "isa/spec/parameters.h"
#include "sim/memory/memory_config.h"

namespace vta::web {
namespace {

using Json = nlohmann::ordered_json;

std::string_view kindName(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::kText:
      return "text";
    case ParameterKind::kInteger:
      return "integer";
    case ParameterKind::kDecimal:
      return "decimal";
    case ParameterKind::kBytes:
      return "bytes";
    case ParameterKind::kChoice:
      return "choice";
    case ParameterKind::kSet:
      return "set";
  }
  return "";
}

Json parameterJson(const Parameter& parameter) {
  const HwConfig defaults = HwConfig::makeDefault();
  Json json = {{"section", parameter.section},
               {"key", parameter.key},
               {"kind", parameter.isFlag() ? "flag" : kindName(parameter.kind)},
               {"unit", parameter.unit},
               {"doc", parameter.doc},
               {"legal", legalText(parameter)},
               {"default", valueText(parameter, defaults.params())}};
  if (!parameter.names.empty()) json["names"] = parameter.names;
  if (parameter.kind == ParameterKind::kInteger || parameter.kind == ParameterKind::kDecimal) {
    json["min"] = static_cast<double>(parameter.legal.min) / static_cast<double>(parameter.parts);
    json["max"] = static_cast<double>(parameter.legal.max) / static_cast<double>(parameter.parts);
    json["power_of_two"] = parameter.legal.power_of_two;
  }
  return json;
}

Json resourcesJson(const sweep::AreaEstimate& area) {
  const auto values = sweep::valuesOf(area);
  const auto names = sweep::resourceNames();
  Json json = Json::object();
  for (size_t i = 0; i < values.size(); ++i) json[std::string(names[i])] = values[i];
  return json;
}

}  // namespace

Json description() {
  Json parameters_json = Json::array();
  for (const Parameter& parameter : parameters()) {
    parameters_json.push_back(parameterJson(parameter));
  }
  Json devices = Json::array();
  for (const sweep::DeviceResources& device : sweep::knownDevices()) {
    devices.push_back(
        {{"name", device.name}, {"boards", device.boards}, {"has", resourcesJson(device.has)}});
  }
  return {{"parameters", std::move(parameters_json)},
          {"memories", sim::builtinMemoryNames()},
          {"devices", std::move(devices)}};
}

Json valuesJson(const HwConfig& hw) {
  Json json = Json::object();
  for (const Parameter& parameter : parameters()) {
    json[parameter.fullKey()] = valueText(parameter, hw.params());
  }
  return json;
}

Json areaJson(const HwConfig& hw) { return resourcesJson(sweep::estimateArea(hw)); }

}  // namespace vta::web
