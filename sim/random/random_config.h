// Random legal hardware configurations of the sizes that simulation of RTL can bear.
#pragma once

#include <cstdint>

#include "isa/config/hw_config.h"
#include "sim/random/rng.h"

namespace vta::sim {

enum class ElementSizes : uint8_t {
  kForRtl,  // at most 4 KiB
  kAll,     // one in eight above 4 KiB, with which a model of the RTL takes a minute to build
};

/// Any geometry, encoding, extensions, queue depths and bus; buffers of 16 to 8192 elements.
HwConfig randomHwConfig(Rng& rng, ElementSizes sizes = ElementSizes::kForRtl);

}  // namespace vta::sim
