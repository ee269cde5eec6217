// Cycles that a schedule cannot beat, proven from counts: what lets an exhaustive search leave
// schedules out without simulating them.
#pragma once

#include <cstdint>

#include "compiler/kernel/desc/kernel_desc.h"
#include "compiler/kernel/desc/memory_traits.h"
#include "compiler/kernel/plan/kernel_plan.h"
#include "compiler/kernel/schedule/burst_floor.h"
#include "isa/config/hw_config.h"
#include "program/program.h"

namespace vta::kernel {

/// Before lowering, from what every order of tiles and steps has in common:
/// - products with elements inside the input and with the padding that LOADs make, accumulators
///   cleared by GEMM and residuals added by GEMM, one each cycle
/// - inputs, weights and outputs moved once; again what a tile needs beyond the slots that hold it
/// - the instructions that every tile and step has at least
/// and from what no program can hide (burst_floor.h): the latency before the first operation and
/// behind the last, and bursts of which only a few are in flight
class ScheduleFloor {
 public:
  ScheduleFloor(const KernelDesc& desc, const HwConfig& hw, const MemoryTraits& memory = {});

  uint64_t leastCycles(const Schedule& schedule, const KernelPlan& plan) const;

 private:
  // Over all tiles of pixels and their steps of taps that read something.
  struct Sums {
    int64_t steps = 0;
    int64_t places = 0;    // of the input, read for one channel block
    int64_t products = 0;  // outputs times taps
    Stream inputs;         // of the places
  };
  Sums sumsOf(const KernelPlan& plan) const;
  bool loadsPadding() const;
  uint64_t gemmOperations(const Schedule& schedule, const KernelPlan& plan, const Sums& sums) const;
  Stream inputs(const Schedule& schedule, const KernelPlan& plan, const Sums& sums) const;
  uint64_t weightBytes(const Schedule& schedule, const KernelPlan& plan, const Sums& sums) const;

  void addResidual(const Schedule& schedule, Streams& streams) const;
  Stream storesOf(const KernelPlan& plan) const;

  const KernelDesc& desc_;
  const HwConfig& hw_;
  BurstFloor bursts_;
  uint64_t valid_products_ = 0;
  uint64_t alu_cycles_ = 0;
  uint64_t write_bytes_ = 0;
};

/// Of a lowered program: its operations, one each cycle, and all that it moves, with the latency
/// that passes before and behind. Where engines do not work side by side, also what passes from the
/// first operation of one engine until the next engine may start (docs/timing.md).
uint64_t leastCycles(const Program& program, const HwConfig& hw, const MemoryTraits& memory = {});

}  // namespace vta::kernel
