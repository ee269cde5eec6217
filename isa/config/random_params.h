// Random parameters: what every generator of random configurations begins with.
#pragma once

#include <cstdint>
#include <functional>

#include "isa/spec/hw_params.h"

namespace vta {

/// A number between `min` and `max`, both included.
using UniformNumber = std::function<int64_t(int64_t min, int64_t max)>;

using Reshape = std::function<void(HwParams& params, const UniformNumber& uniform)>;

/// `elements` of a scratchpad, a power of two, or some eighths less.
int64_t leaveOutSome(int64_t elements, const UniformNumber& uniform);

/// Draws every parameter that has a range for it (Parameter::draw); the others have their defaults.
/// What is drawn may be illegal together: HwConfig::create tells. `reshape` may change the geometry
/// before scratchpads get their sizes, which are drawn in elements.
HwParams drawHwParams(const UniformNumber& uniform, const Reshape& reshape = {});

}  // namespace vta
