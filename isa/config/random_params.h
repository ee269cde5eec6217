// Random parameters: what every generator of random configurations begins with.
#pragma once

#include <cstdint>
#include <functional>

#include "isa/spec/hw_params.h"

namespace vta {

/// A number between `min` and `max`, both included.
using UniformNumber = std::function<int64_t(int64_t min, int64_t max)>;

/// Draws every parameter that has a range for it (Parameter::draw); the others have their defaults.
/// What is drawn may be illegal together: HwConfig::create tells.
HwParams drawHwParams(const UniformNumber& uniform);

}  // namespace vta
