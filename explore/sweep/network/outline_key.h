// What of an accelerator a network's integers and its outline depend on.
#pragma once

#include <string>

#include "isa/config/hw_config.h"

namespace vta::sweep {

/// The integers: equal texts, equal quantised networks.
std::string quantizerText(const HwParams& params);

/// The outline: equal texts, equal outlines of a network.
std::string acceleratorText(const HwConfig& hw);

}  // namespace vta::sweep
