// Analytic cost of a schedule: what ranks schedules when nothing was measured.
#pragma once

#include <cstdint>

#include "compiler/kernel/desc/kernel_desc.h"
#include "compiler/kernel/desc/memory_traits.h"
#include "compiler/kernel/desc/schedule.h"
#include "compiler/kernel/plan/kernel_plan.h"
#include "isa/config/hw_config.h"

namespace vta::kernel {

/// Estimated cycles and DRAM traffic of one kernel.
struct CostEstimate {
  double cycles = 0;              // from launch to the last store
  double gemm_cycles = 0;         // GEMM core busy, resets included
  double alu_cycles = 0;          // tensor ALU busy
  double load_cycles = 0;         // load unit busy (INP, WGT)
  double compute_dma_cycles = 0;  // micro-op and ACC loads, in the compute queue
  double store_cycles = 0;        // store unit busy
  double read_bytes = 0;
  double write_bytes = 0;
};

/// Pure function; `schedule` must pass checkSchedule.
CostEstimate estimateCost(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw,
                          const MemoryTraits& memory = {});

/// The same for a plan that is at hand.
CostEstimate estimatePlanCost(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw,
                              const KernelPlan& plan, const MemoryTraits& memory = {});

}  // namespace vta::kernel
