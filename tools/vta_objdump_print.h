// What vta-objdump prints of a program, for people and for machines.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "isa/config/hw_config.h"
#include "isa/program/program.h"

namespace vta::tools {

/// Header, buffers, instructions under their symbols, and micro-ops, as tables.
std::string programListing(const Program& program, const HwConfig& hw);

/// The same as one JSON object; `fields` of an instruction are those of its encoding.
nlohmann::ordered_json programJson(const Program& program, const HwConfig& hw);

}  // namespace vta::tools
