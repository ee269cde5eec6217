// What measures for vta-tune: this machine, a device, or workers of a launcher.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "explore/tune/measure/measurement.h"
#include "isa/config/hw_config.h"
#include "tools/vta_tune/options.h"

namespace vta::tools {

/// For tasks on `hw`. With a launcher it waits for the first worker, unless *stop is set.
Result<std::unique_ptr<tune::Measurer>> measurerOf(const TuneToolOptions& options,
                                                   const HwConfig& hw,
                                                   const std::atomic<bool>* stop);

/// A worker of another vta-tune: measures what that asks for, until it ends or *stop is set.
Status beWorker(const std::string& place, const std::atomic<bool>* stop);

}  // namespace vta::tools
