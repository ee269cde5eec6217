// What placement decides by besides what back ends say (compiler/codegen/costs.h, in whose unit
// costs are).
#pragma once

#include <cstdint>

#include "compiler/codegen/costs.h"

namespace vta::placement {

/// The least gain, in multiply-accumulates (0.1 ms), that is worth a host function of its own and
/// the launch that ends before it: two steps more.
inline constexpr int64_t kWorthwhileCost = 2 * codegen::kCostPerStep;

/// What it takes a board's processor to look one element up in a table of int8: loading and storing
/// it, with cache lines that the accelerator has written and will read. An estimate for an Arm
/// Cortex-A9 or A53, which boards with FPGAs have.
inline constexpr double kBoardTableNsPerElem = 25;
/// What a tensor that goes to the host and back costs besides: a launch that ends, and another one.
/// An estimate, as kWorthwhileCost is.
inline constexpr double kBoardCrossingNs = 200e3;

}  // namespace vta::placement
