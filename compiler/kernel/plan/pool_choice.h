// Whether a kernel pools its accumulators in place, and how much of them a tile then computes.
#pragma once

#include "compiler/kernel/plan/plan_context.h"

namespace vta::kernel {

/// Sets KernelPlan::pool for the pooling of a contraction, and for a maximum pooling whose inputs
/// the GEMM core can put where they are wanted: that is the pooling of a contraction with the
/// identity. Sets KernelPlan::geometry and outputs accordingly. Needs both as tiledGeometry gives
/// them.
void choosePool(const PlanContext& context);

/// Sets KernelPlan::tile_elems, and for kernels that pool in place the area of a tile and the rows
/// that it carries. Needs KernelPlan::tiling. False, with the failure noted, where a tile has too
/// many accumulators.
bool sizeTiles(const PlanContext& context);

}  // namespace vta::kernel
