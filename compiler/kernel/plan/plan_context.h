// PlanContext: what the planners of one kernel share.
#pragma once

#include <algorithm>
#include <cstdint>

#include "compiler/kernel/desc/kernel_desc.h"
#include "compiler/kernel/desc/schedule.h"
#include "compiler/kernel/plan/kernel_plan.h"
#include "isa/config/hw_config.h"

namespace vta::kernel {

inline constexpr uint32_t kPadElems = 2;  // one holds the padding value, one lies beside it
inline constexpr int64_t kMaxSlots = 64;  // of one scratchpad: keeps slot look-ups short

/// The kernel, the plan that grows, and the place for the reason if it does not fit. Refers to all
/// of them.
struct PlanContext {
  const KernelDesc& desc;
  const Schedule& schedule;
  const HwConfig& hw;
  const SramRoom& room;
  KernelPlan& plan;
  PlanFailure& failure;

  /// Notes the reason and returns false.
  bool fail(const char* resource, int64_t need, int64_t limit) const {
    failure = {resource, need, limit};
    return false;
  }

  double busBytesPerCycle() const { return hw.params().axi_data_width_bits / 8.0; }

  /// Elements of the largest input region of a reduction step.
  int64_t regionElems() const {
    const Tiling& t = plan.tiling;
    return t.inBlocks() * t.regionRows(plan.geometry) * t.regionCols(plan.geometry);
  }
  /// Elements of the residual of a tile, where that has a tile of its own.
  int64_t residualElems() const {
    if (!desc.residual) return 0;
    return desc.residual_per_image ? plan.tiling.outBlocks() : plan.tile_elems;
  }
  /// ALU operations of the epilogue for each output, those on the residual included.
  double epilogueOperations() const {
    auto operations = static_cast<double>(desc.epilogue.size());
    if (desc.residual && !desc.residual_per_image)
      operations += static_cast<double>(desc.residual->steps.size());
    return operations;
  }
};

}  // namespace vta::kernel
