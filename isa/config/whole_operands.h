// Random configurations whose operands are as wide as some extensions need.
#pragma once

#include "isa/config/random_params.h"

namespace vta {

/// For drawHwParams: gives every second configuration with extension `transpose` weights of 8 bits,
/// every second one with extension `handover` no more input than output channels, and every second
/// one, and all with extension `lut`, accumulators of 32 bits. Few configurations with these
/// extensions would be legal otherwise.
void widenSomeOperands(HwParams& params, const UniformNumber& uniform);

}  // namespace vta
