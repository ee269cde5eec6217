// The parameters of configurations and the names that a page offers, as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "isa/config/hw_config.h"

namespace vta::web {

/// {"parameters": [...], "memories": [...], "devices": [...]}
nlohmann::ordered_json description();

/// Every value of `hw` as its file has it, by the parameter's full key.
nlohmann::ordered_json valuesJson(const HwConfig& hw);

/// The resources that `hw` takes of an FPGA, by their names.
nlohmann::ordered_json areaJson(const HwConfig& hw);

}  // namespace vta::web
