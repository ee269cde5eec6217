// Runs a program once, with the contents of its buffers in host memory.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "base/status.h"
#include "driver/device.h"
#include "driver/loader.h"
#include "isa/program/program.h"

namespace vta::driver {

/// Allocates the program's buffers on `device`, fills them, runs the program, reads all of them
/// back and frees them. `buffers` has the bytes of each of program.buffers; those of micro-ops are
/// the program's own and are left alone. Errors: sizes that differ from the declared ones; those of
/// the device; a fault of the program.
Result<LaunchResult> runProgram(Device& device, const Program& program,
                                std::vector<std::vector<uint8_t>>& buffers,
                                std::chrono::milliseconds timeout = LoadedProgram::kDefaultTimeout);

}  // namespace vta::driver
