// Cycles that a schedule cannot beat, proven from counts: what lets an exhaustive search leave
// schedules out without simulating them.
#pragma once

#include <cstdint>

#include "compiler/kernel/desc/kernel_desc.h"
#include "compiler/kernel/desc/memory_traits.h"
#include "compiler/kernel/plan/kernel_plan.h"
#include "compiler/kernel/schedule/floor/burst_floor.h"
#include "compiler/kernel/schedule/floor/floor_axis.h"
#include "compiler/kernel/schedule/floor/least_tile.h"
#include "isa/config/hw_config.h"
#include "isa/program/program.h"

namespace vta::kernel {

/// Before lowering, from what every order of tiles and steps has in common:
/// - products with elements inside the input and with the padding that LOADs make, accumulators
///   cleared by GEMM and residuals added by GEMM, one each cycle; the steps of the epilogue
/// - inputs, weights and outputs moved once; again what a tile needs beyond the slots that hold it
/// - the instructions that every tile and step has at least
/// and from what no program can hide (least_tile.h, burst_floor.h):
/// - before the first product, the operands of a step are read, and before the first store a tile
///   is computed
/// - behind the last data there are the products of a step; behind the last product the epilogue of
///   a tile; and behind that its store, which is answered
/// - a burst takes the memory's latency, and only a few are in flight
class ScheduleFloor {
 public:
  ScheduleFloor(const KernelDesc& desc, const HwConfig& hw, const MemoryTraits& memory = {});

  uint64_t leastCycles(const Schedule& schedule, const KernelPlan& plan) const;

 private:
  // Over all tiles of pixels and their steps of taps that read something.
  struct Sums {
    StepSums rows, cols;
    int64_t steps = 0;
    int64_t places = 0;    // of the input, read for one channel block
    int64_t products = 0;  // outputs times taps
    bool none_is_empty = false;
  };
  // Operations of the engines, one each cycle.
  struct Engines {
    uint64_t gemm = 0;
    uint64_t alu = 0;
    uint64_t early = 0;  // of the GEMM core, that may come before the first product
  };
  Sums sumsOf(const KernelPlan& plan) const;
  bool loadsPadding() const;
  uint64_t aluCycles(const KernelPlan& plan) const;
  Engines gemmOperations(const Schedule& schedule, const KernelPlan& plan, const Sums& sums) const;
  uint64_t poolingOperations(const Schedule& schedule, const KernelPlan& plan) const;
  int64_t poolingWeights() const;
  Stream inputs(const Schedule& schedule, const KernelPlan& plan, const Sums& sums) const;
  Stream inputsOnce(const Schedule& schedule, const KernelPlan& plan, const Sums& sums) const;
  Stream weights(const Schedule& schedule, const KernelPlan& plan, const Sums& sums) const;
  Stream tileRows(const KernelPlan& plan, MemoryType type) const;
  void addInt8Operands(const Schedule& schedule, const KernelPlan& plan, Streams& streams) const;
  Stream storesOf(const KernelPlan& plan) const;
  double endOf(const Engines& engines, const Streams& streams, const LeastTile& tile,
               int64_t tiles) const;
  double endInOrder(const Engines& engines, double start, int64_t tiles) const;

  const KernelDesc& desc_;
  const HwConfig& hw_;
  BurstFloor bursts_;
  int64_t outputs_ = 0;  // behind the pooling
  uint64_t valid_products_ = 0;
  int64_t places_ = 0;  // of the input that are read, over all channel blocks
};

/// Of a lowered program: its operations, one each cycle, and all that it moves, with the latency
/// that passes before and behind. Where engines do not work side by side, also what passes from the
/// first operation of one engine until the next engine may start (docs/timing.md). It does not know
/// tiles: a ScheduleFloor may be higher.
uint64_t leastCycles(const Program& program, const HwConfig& hw, const MemoryTraits& memory = {});

}  // namespace vta::kernel
