// --remote-module: a module that a vta-server runs whole.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "tools/vta_run/features.h"

namespace vta::tools {

/// RunFeatures::open_remote.
Result<std::unique_ptr<WholeModule>> openRemoteModule(std::span<const std::byte> file,
                                                      const driver::DeviceSpec& device);

}  // namespace vta::tools
