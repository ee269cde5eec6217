#include "module/hw_config_values.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/spec/parameters.h"

namespace vta {
namespace {

bool isNumber(const Parameter& parameter) { return parameter.kind != ParameterKind::kText; }

}  // namespace

HwConfigValues valuesOf(const HwConfig& hw) {
  HwConfigValues values;
  values.name = hw.name();
  for (const Parameter& parameter : parameters()) {
    if (!isNumber(parameter)) continue;
    values.values.push_back({parameter.fullKey(), parameter.access.get(hw.params())});
  }
  return values;
}

Result<HwConfig> hwConfigOf(const HwConfigValues& values) {
  HwParams params;
  params.name = values.name;
  for (const HwConfigValue& value : values.values) {
    const auto found = std::ranges::find_if(parameters(), [&](const Parameter& parameter) {
      return isNumber(parameter) && parameter.fullKey() == value.key;
    });
    if (found == parameters().end()) {
      return invalidArgument(
          fmt::format("the configuration has a parameter '{}' that this build does not know; "
                      "compile the model again",
                      value.key));
    }
    found->access.set(params, value.value);
    if (found->access.get(params) != value.value) {
      return invalidArgument(
          fmt::format("the configuration's parameter '{}' is {}", value.key, value.value));
    }
  }
  if (values.values.size() != static_cast<size_t>(std::ranges::count_if(parameters(), isNumber))) {
    return invalidArgument("the configuration lacks parameters; compile the model again");
  }
  return HwConfig::create(params);
}

}  // namespace vta
