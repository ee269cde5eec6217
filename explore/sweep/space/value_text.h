// Values of hardware parameters as sweeps write them.
#pragma once

#include <yaml-cpp/yaml.h>

#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "explore/sweep/space/sweep_config.h"
#include "isa/spec/parameters.h"

namespace vta::sweep {

/// The parameter "gemm.batch" or "clock_mhz"; null if there is none that a number describes.
const Parameter* findParameter(std::string_view full_key);

/// A value in YAML: a number, a size such as 32KiB, a name or a list of names where `parameter` has
/// them. `parameter` is null for a variable of the sweep's own. Errors name what is legal, without
/// a place.
Result<AxisValue> parseValue(const YAML::Node& node, const Parameter* parameter);

/// The text of `number` for people: that of configuration files for parameters.
std::string numberText(double number, const Parameter* parameter);

/// Sets the parameter. Error: not a whole number.
Status setParameter(const Parameter& parameter, double value, HwParams& params);

}  // namespace vta::sweep
