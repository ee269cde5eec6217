// Whether a driver uses the board that is to be programmed.
#pragma once

#include "base/status.h"
#include "driver/flash/board/system.h"

namespace vta::flash {

/// Ok when no process has the lock of a UIO device whose name begins with "vta", or of /dev/mem, as
/// the driver's devices take it. Files that this user cannot open are not looked at. Error:
/// kResourceExhausted, naming the process.
Status checkUnused(const System& system);

}  // namespace vta::flash
