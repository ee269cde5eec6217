// Programs to begin with: one layer, as the compiler makes it.
#pragma once

#include <string>

#include "base/status.h"
#include "isa/config/hw_config.h"

namespace vta::web {

/// The assembler of a convolution in some tiles, with one or two virtual threads: with two, loads
/// of one tile go on while another is computed. Errors: it does not fit `hw`.
Result<std::string> exampleProgram(const HwConfig& hw, int virtual_threads);

}  // namespace vta::web
