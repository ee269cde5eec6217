// Runs a program on the checked functional simulator.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "isa/config/hw_config.h"
#include "isa/program/program.h"

namespace vta::kernel::testing {

/// Runs `program` on a new device; `buffers` (one per program.buffers entry) go in and come out.
/// Errors: those of the device and the loader; a fault of the program.
Status runOnFunctionalDevice(const Program& program, const HwConfig& hw,
                             std::vector<std::vector<uint8_t>>& buffers);

}  // namespace vta::kernel::testing
