// Measurement on a device: a board, a remote one, or a simulator that counts cycles.
#pragma once

#include <chrono>
#include <memory>

#include "base/status.h"
#include "driver/device.h"
#include "explore/tune/measure/measurement.h"

namespace vta::tune {

struct DeviceMeasurerOptions {
  std::chrono::milliseconds timeout{30'000};  // for one launch
  /// Launches of each schedule. The median counts: memory of boards is refreshed now and then.
  int launches = 3;
};

/// Takes one schedule after the other. Buffers hold zeros, on which times do not depend. Errors:
/// kUnsupported for a device that counts no cycles.
Result<std::unique_ptr<Measurer>> makeDeviceMeasurer(std::unique_ptr<driver::Device> device,
                                                     const DeviceMeasurerOptions& options = {});

}  // namespace vta::tune
