// KernelWork: the features of a schedule, counted without lowering it.
//
// The cost model makes cycles of them. A learned model may take the same features: they are a pure
// function of kernel, schedule and configuration, they take about a microsecond, and they are
// defined for every schedule that makePlan accepts. So a tuner calls makePlan, then countWork, and
// lowers only what it measures.
#pragma once

#include "compiler/kernel/desc/kernel_desc.h"
#include "compiler/kernel/desc/memory_traits.h"
#include "compiler/kernel/desc/schedule.h"
#include "compiler/kernel/plan/kernel_plan.h"
#include "compiler/kernel/plan/read_cycles.h"
#include "compiler/kernel/schedule/cost_model.h"
#include "isa/config/hw_config.h"

namespace vta::kernel {

/// Sums over all tiles of a kernel. Cycles are those of one engine or DMA, with the overheads of
/// its instructions (plan/cost_constants.h), as if no instruction hid another.
struct KernelWork {
  /// Busy cycles of each engine and DMA, and bytes. `cost.cycles` stays 0, and `cost.read_bytes` is
  /// without instruction fetch.
  CostEstimate cost;
  double tiles = 1;
  double out_elems = 1;   // elements (BATCH x BLOCK_OUT lanes) of the kernel's output
  double acc_elems = 1;   // accumulators that its reduction computes, some twice where tiles pool
  double first_load = 0;  // cycles of the bus for the operands of the first reduction step
  /// Loads of one operand.
  struct Loads {
    double cycles = 0;  // of the load unit
    double tiles = 0;   // tiles that load anything of it; the others find it in the scratchpad
  };
  Loads input_loads, weight_loads;
  ReadBytes read_bytes;  // of `cost.read_bytes`
  double instructions = 0;
  double uop_cycles = 0;  // of loading micro-ops, in the compute queue
};

/// Counts the work of a kernel. `plan` must be makePlan's for the other arguments.
KernelWork countWork(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw,
                     const KernelPlan& plan, const MemoryTraits& memory = {});

/// estimatePlanCost for work that is at hand. `work` must be countWork's for the other arguments.
CostEstimate estimateWorkCost(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw,
                              const KernelPlan& plan, const KernelWork& work,
                              const MemoryTraits& memory = {});

}  // namespace vta::kernel
