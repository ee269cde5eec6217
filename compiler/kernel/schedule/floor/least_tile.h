// LeastTile: what every tile of a schedule has at least. The first tile and the last one have that
// much, too, and little else happens before the one and behind the other.
#pragma once

#include "compiler/kernel/desc/kernel_desc.h"
#include "compiler/kernel/desc/schedule.h"
#include "compiler/kernel/plan/kernel_plan.h"
#include "compiler/kernel/schedule/floor/burst_floor.h"
#include "compiler/kernel/schedule/floor/floor_axis.h"
#include "isa/config/hw_config.h"

namespace vta::kernel {

/// Counts are those of a tile that is the smallest along every axis. What is not known is 0.
struct LeastTile {
  Streams operands;          // of one reduction step: inputs and weights
  double step_products = 0;  // operations of the GEMM core for one reduction step
  double products = 0;       // and for all steps
  double alu_cycles = 0;     // of the ALU behind the last of these operations
  Stream stores;
};

/// `rows` and `cols` are the sums of sumSteps for the plan's tiles and steps.
LeastTile leastTile(const KernelDesc& desc, const Schedule& schedule, const KernelPlan& plan,
                    const HwConfig& hw, const StepSums& rows, const StepSums& cols);
/// Of a kernel whose reduction has other steps: what it stores.
LeastTile leastStoredTile(const KernelPlan& plan, const HwConfig& hw);

}  // namespace vta::kernel
