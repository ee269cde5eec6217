// KernelWork: what engines, DMA and bus have to do for a kernel with a schedule.
#pragma once

#include "compiler/kernel/desc/kernel_desc.h"
#include "compiler/kernel/desc/schedule.h"
#include "compiler/kernel/plan/kernel_plan.h"
#include "compiler/kernel/schedule/cost_model.h"
#include "isa/config/hw_config.h"

namespace vta::kernel {

inline constexpr double kMemoryLatency = 16;  // cycles

/// Sums over all tiles. Cycles include the overheads of each instruction, as if none hid another.
struct KernelWork {
  CostEstimate cost;  // but for `cycles`; read_bytes without instructions
  double tiles = 1;
  double out_elems = 1;  // of the kernel's output
  double acc_elems = 1;  // accumulators that its reduction computes
  double first_load = 0;
  // Cycles of loads, and how many tiles they are made for.
  struct Loads {
    double cycles = 0;
    double tiles = 0;
  };
  Loads input_loads, weight_loads;
  double instructions = 0;
  double uop_cycles = 0;  // of loading micro-ops
};

KernelWork countWork(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw,
                     const KernelPlan& plan);

}  // namespace vta::kernel
