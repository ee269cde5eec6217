// A configuration as a list of named numbers: the binary form of modules, which need no YAML.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "isa/config/hw_config.h"

namespace vta {

struct HwConfigValue {
  std::string key;  // "block_in"
  int64_t value = 0;
};

struct HwConfigValues {
  std::string name;
  std::vector<HwConfigValue> values;  // all parameters but the name, then users' operations
};

HwConfigValues valuesOf(const HwConfig& hw);

/// Errors: an unknown key, one that is missing, and what HwConfig::create refuses.
Result<HwConfig> hwConfigOf(const HwConfigValues& values);

}  // namespace vta
