// Random configurations whose elements of WGT can be transposed.
#pragma once

#include "isa/config/random_params.h"

namespace vta {

/// For drawHwParams: gives every second configuration with extension `transpose` weights of 8 bits.
/// Few of them would be legal otherwise.
void widenSomeWeights(HwParams& params, const UniformNumber& uniform);

}  // namespace vta
