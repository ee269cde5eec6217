// Random legal hardware configurations of the sizes that simulation of RTL can bear.
#pragma once

#include "isa/config/hw_config.h"
#include "sim/random/rng.h"

namespace vta::sim {

/// Any geometry, encoding, extensions, queue depths and bus; buffers of 16 to 8192 elements.
HwConfig randomHwConfig(Rng& rng);

}  // namespace vta::sim
