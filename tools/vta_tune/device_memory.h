// The memory of a device that measures schedules.
#pragma once

#include <string>

#include "tools/vta_tune/options.h"

namespace vta::tools {

/// Where the device of `options` has a memory to choose, makes it that of --dram, and --dram that
/// of the device: cycles are kept by the memory that they were measured with. Returns what is
/// wrong: they are not the same; "": nothing.
std::string agreeOnMemory(TuneToolOptions& options);

}  // namespace vta::tools
