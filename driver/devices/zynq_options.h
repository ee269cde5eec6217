// The options of the device zynq, as text.
#pragma once

#include "base/status.h"
#include "driver/board/board_options.h"
#include "driver/device_registry.h"

namespace vta::driver {

/// Errors: kInvalidArgument, with the option and what is legal.
Result<BoardOptions> parseZynqOptions(const DeviceOptions& options);

}  // namespace vta::driver
