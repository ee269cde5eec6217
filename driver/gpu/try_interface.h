// Whether the drivers of an interface can be asked at all: one that crashes takes the process with
// it.
#pragma once

#include <chrono>

#include "base/status.h"
#include "driver/gpu/gpu_registry.h"

namespace vta::driver {

inline constexpr std::chrono::seconds kListTimeout{20};

/// Ok if `interface` lists its GPUs in a process of its own, with whatever outcome. It is asked
/// once for each set of drivers, layers and variables of the environment that choose them: what was
/// ok is remembered beside the compiled kernels. Errors: kDeviceFault: a driver, or what is loaded
/// with it, crashes or does not answer.
Status tryInterface(const GpuInterface& interface,
                    std::chrono::milliseconds timeout = kListTimeout);

}  // namespace vta::driver
