// The elaboration check of the RTL, from the same table and rules as HwConfig::create.
#pragma once

#include <string>

namespace vta {

/// The text of hw/vta_rtl/core/vta_config_check.sv: a module that stops elaboration when a constant
/// of vta_pkg is illegal by itself (isa/spec/parameters.h) or with others (hardwareRules). It is
/// the same for all configurations.
std::string svConfigCheck();

}  // namespace vta
