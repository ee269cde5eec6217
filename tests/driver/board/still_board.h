// Files that stand for a board whose launches have ended before they begin.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/status.h"
#include "isa/config/hw_config.h"

namespace vta::test {

/// Makes such files in `folder`, which has to exist: registers that say that the core is `hw` and
/// has ended its launch, and `memory_bytes` of contiguous memory. So only the driver, the kernel's
/// system calls and host code take time. The registers are in a file that stands for /dev/mem: a
/// file cannot stand for UIO, since switching on its interrupt would write into the registers.
/// Returns the device to open, as --device takes it. Errors: kIoError.
Result<std::string> makeStillBoard(const HwConfig& hw, const std::filesystem::path& folder,
                                   uint64_t memory_bytes);

}  // namespace vta::test
