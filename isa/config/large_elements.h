// Random configurations with large elements.
#pragma once

#include "isa/config/random_params.h"

namespace vta {

/// For drawHwParams: gives one configuration in eight accumulators of 8 or 16 KiB, which is above
/// the 4 KiB of pages and of the boundaries of bursts. Their cores have thousands of ALU lanes:
/// functional and cycle simulators take them like others, but building a model of the RTL takes a
/// minute or more.
void enlargeSomeElements(HwParams& params, const UniformNumber& uniform);

}  // namespace vta
