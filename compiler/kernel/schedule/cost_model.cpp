#include "compiler/kernel/schedule/cost_model.h"

#include <algorithm>

#include "compiler/kernel/plan/cost_constants.h"
#include "compiler/kernel/schedule/kernel_work.h"

namespace vta::kernel {
namespace {

// Cycles of GEMM core and ALU side by side, with instructions issued and tokens pushed in order.
// While the GEMMs of tile i run, the ALU finishes tile i - 1 and clears tile i + 1.
double pipelinedCycles(const KernelWork& work, const KernelPlan& plan) {
  const CostEstimate& cost = work.cost;
  const bool by_alu = plan.reset_by_alu || plan.begins_with_bias;
  const double clear = by_alu || plan.pool ? 0 : work.acc_elems;
  const double gemm = cost.gemm_cycles;
  if (plan.method != Method::kGemm) return std::max(gemm, cost.alu_cycles);
  if (plan.sram.acc.count > 2) return std::max({gemm, cost.alu_cycles, cost.store_cycles});
  // Tile i + 1 takes the slot of tile i - 1, which is finished and stored beside the GEMMs of i.
  return std::max(gemm, cost.alu_cycles + clear + cost.store_cycles);
}

// Some tiles load more than others: those where the channels or the pixels change, if what they
// load stays for the tiles that follow. This is how much longer they take than the average. Slots
// come free while the tile before runs, so loads have about the time of one tile.
double burstCycles(const KernelWork& work, const HwConfig& hw, double compute) {
  const double tile = compute / work.tiles;
  const double inputs = work.input_loads.cycles / std::max(1.0, work.input_loads.tiles);
  const double weights = work.weight_loads.cycles / std::max(1.0, work.weight_loads.tiles);
  const double few = std::min(work.input_loads.tiles, work.weight_loads.tiles);
  if (few >= work.tiles || few <= 1) return 0;
  const bool few_weights = work.weight_loads.tiles < work.input_loads.tiles;
  const double always = few_weights ? inputs : weights;
  const double burst = few * std::max(tile, loadUnitCycles(inputs, weights, hw)) +
                       (work.tiles - few) * std::max(tile, always);
  return std::max(0.0, burst - std::max(compute, work.cost.load_cycles));
}

// Cycles of the compute unit, busy or waiting, from its first instruction to its last.
double computeCycles(const KernelDesc& desc, const Schedule& schedule, const KernelPlan& plan,
                     const KernelWork& work, const MemoryTraits& memory) {
  const CostEstimate& cost = work.cost;
  double compute = plan.pipelined ? std::max(pipelinedCycles(work, plan), cost.compute_dma_cycles)
                                  : cost.gemm_cycles + cost.alu_cycles + cost.compute_dma_cycles;
  // With one tile in ACC, the next begins when it is stored.
  if (plan.sram.acc.count < 2) compute += cost.store_cycles + work.tiles * memory.latency_cycles;
  // The identity GEMM of a residual queues up behind the GEMMs of the next tile, and the ALU waits
  // for it.
  const bool waits = plan.pipelined && desc.residual.has_value() && schedule.int8_through_gemm;
  if (waits) compute += cost.alu_cycles;
  // Micro-ops are loaded right before their first use: hardly anything hides that.
  return compute + work.tiles * kTileCycles + work.uop_cycles;
}

// With one engine after the other, no slot of INP comes free while the ALU works. So beside the ALU
// only as many steps of the next tile are loaded as there are slots. The GEMMs alone hide the loads
// of the other steps.
double inOrderWaitCycles(const KernelPlan& plan, const KernelWork& work) {
  if (plan.pipelined || plan.method != Method::kGemm) return 0;
  const auto steps = static_cast<double>(plan.tiling.steps());
  const double exposed = steps - plan.sram.inp.count;
  if (exposed <= 0) return 0;
  const double per_step = 1 / (work.tiles * steps);
  const double wait = (work.input_loads.cycles - work.cost.gemm_cycles) * per_step;
  return work.tiles * exposed * std::max(0.0, wait);
}

}  // namespace

CostEstimate estimateWorkCost(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw,
                              const KernelPlan& plan, const KernelWork& work,
                              const MemoryTraits& memory) {
  CostEstimate cost = work.cost;
  ReadBytes read = work.read_bytes;
  read.rest += work.instructions * hw.instructionBytes();
  cost.read_bytes = read.inputs + read.weights + read.rest;
  const double compute =
      computeCycles(desc, schedule, plan, work, memory) + inOrderWaitCycles(plan, work);
  const double bus = readCycles(read, hw, memory);
  // Nothing hides the first load, and the last tile's ALU steps and store.
  const double fill = 2 * memory.latency_cycles + work.first_load +
                      (cost.alu_cycles + cost.store_cycles) / work.tiles;
  if (schedule.virtual_threads == 1) {
    cost.cycles = compute + cost.load_cycles + cost.store_cycles + fill;
  } else {
    cost.cycles = std::max({compute, cost.load_cycles, cost.store_cycles, bus}) + fill;
    cost.cycles += burstCycles(work, hw, compute);
    // Imbalance between neighbouring tiles is not hidden entirely; prefer slack over none.
    cost.cycles += kImbalance * (compute + cost.load_cycles + cost.store_cycles);
  }
  cost.compute_dma_cycles += work.uop_cycles;
  return cost;
}

CostEstimate estimatePlanCost(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw,
                              const KernelPlan& plan, const MemoryTraits& memory) {
  const KernelWork work = countWork(desc, schedule, hw, plan, memory);
  return estimateWorkCost(desc, schedule, hw, plan, work, memory);
}

CostEstimate estimateCost(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw,
                          const MemoryTraits& memory) {
  KernelPlan plan;
  PlanFailure failure;
  if (!makePlan(desc, schedule, hw, plan, failure)) return {};
  return estimatePlanCost(desc, schedule, hw, plan, memory);
}

}  // namespace vta::kernel
