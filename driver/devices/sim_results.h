// What the simulator devices share: from launches to models, from results of models to results.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "driver/device.h"
#include "driver/devices/sim_memory.h"
#include "sim/common/dram.h"

namespace vta::driver {

sim::BaseAddresses baseAddresses(const Launch& launch);

/// The instructions of `launch`, when they lie in one allocated buffer.
std::optional<std::span<const std::byte>> findStream(const Launch& launch, const HwConfig& hw,
                                                     const SimMemory& memory);

/// The fault of a launch whose instructions do not.
Fault strayLaunch(const Launch& launch);

/// The fault with which the hardware refuses a launch whose addresses are not multiples of what
/// lies there (docs/isa.md, control registers).
std::optional<Fault> checkAlignment(const Launch& launch, const HwConfig& hw);

}  // namespace vta::driver
